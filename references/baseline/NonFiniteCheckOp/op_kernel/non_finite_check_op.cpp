// found_flag becomes 1 where a tensor of the list holds NaN or an infinity, and is left alone otherwise: x * 0 is NaN
// for exactly these, and NaN stays in a sum.
#include "kernel_operator.h"
#include "op_kernel/core_sums.h"
#include "op_kernel/foreach.h"

template <typename T>
class KernelNonFiniteCheckOp {
 public:
  __aicore__ inline KernelNonFiniteCheckOp() {}

  __aicore__ inline void Init(GM_ADDR list, GM_ADDR found, const ForeachTilingData& tiling, AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    list_ = list;
    pipe_ = pipe;
    found_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(found), 1);
    const uint32_t wideBytes = tiling.bufferLength * sizeof(float);
    pipe->InitBuffer(queue_, BUFFER_NUM, tiling.bufferLength * sizeof(T));
    pipe->InitBuffer(sumBuffer_, wideBytes);
    pipe->InitBuffer(wideBuffer_, wideBytes);
    pipe->InitBuffer(resultBuffer_, RESULT_BYTES);
  }

  __aicore__ inline void Process() {
    const rows::Floats sums = sumBuffer_.Get<float>();
    rows::Tile all;
    all.columns = tiling_->tileLength;
    AscendC::Duplicate(sums, 0.0f, all.Count());
    foreach::Walk walk(*tiling_);
    elementwise::Tile tile;
    elementwise::Tile next;
    bool more = walk.Next(tile);
    if (more) {
      Load(tile);
    }
    while (more) {
      more = walk.Next(next);
      if (more) {
        Load(next);
      }
      Add(sums, static_cast<int32_t>(tile.count));
      tile = next;
    }
    const rows::Floats result = resultBuffer_.Get<float>();
    rows::Reduce<rows::SumOf>(result, sums, all);
    const event_t reduced = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_S));
    AscendC::SetFlag<AscendC::HardEvent::V_S>(reduced);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(reduced);
    if (result.GetValue(0) != 0.0f) {
      Report(result);
    }
  }

 private:
  static constexpr int32_t BUFFER_NUM = 2;
  static constexpr uint32_t RESULT_BYTES = 32;

  __aicore__ inline void Load(const elementwise::Tile& tile) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(foreach::Walk::Address(list_, tile.tensor)) + tile.offset);
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{};
    AscendC::LocalTensor<T> x = queue_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, tensor, copy, pad);
    queue_.EnQue(x);
  }

  __aicore__ inline void Add(const rows::Floats& sums, int32_t count) {
    const rows::Floats wide = wideBuffer_.template Get<float>();
    AscendC::LocalTensor<T> x = queue_.template DeQue<T>();
    if constexpr (AscendC::IsSameType<T, float>::value) {
      AscendC::Muls(wide, x, 0.0f, count);
    } else {
      AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, count);
      AscendC::Muls(wide, wide, 0.0f, count);
    }
    queue_.FreeTensor(x);
    AscendC::Add(sums, sums, wide, count);
  }

  // Every core that finds something writes the same.
  __aicore__ inline void Report(const rows::Floats& one) {
    const event_t read = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::S_V));
    AscendC::SetFlag<AscendC::HardEvent::S_V>(read);
    AscendC::WaitFlag<AscendC::HardEvent::S_V>(read);
    AscendC::Duplicate(one, 1.0f, 1);
    const event_t written = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(written);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(written);
    const AscendC::DataCopyExtParams copy{1, sizeof(float), 0, 0, 0};
    AscendC::DataCopyPad(found_, one, copy);
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer_;
  AscendC::GlobalTensor<float> found_;
  const ForeachTilingData* tiling_ = nullptr;
  AscendC::TPipe* pipe_ = nullptr;
  GM_ADDR list_ = nullptr;
};

extern "C" __global__ __aicore__ void non_finite_check_op(GM_ADDR tensorList, GM_ADDR foundFlag, GM_ADDR workspace,
                                                          GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelNonFiniteCheckOp<DTYPE_TENSOR_LIST> op;
  op.Init(tensorList, foundFlag, tilingData, &pipe);
  op.Process();
}
