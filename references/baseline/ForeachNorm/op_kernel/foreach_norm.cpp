// y[i] = (sum of |x|^p over all elements of x[i])^(1/p) for a list of tensors and p = 1 or 2. Sums are float32: lane by lane
// over the tiles of a tensor, then a tree; the parts of a tensor that several cores worked on are added in their order.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <HardEvent EVENT>
__aicore__ inline void Synchronise() {
  const event_t event = static_cast<event_t>(GetTPipePtr()->FetchEventID(EVENT));
  SetFlag<EVENT>(event);
  WaitFlag<EVENT>(event);
}

template <typename T>
class KernelForeachNorm {
  static constexpr uint32_t MAX_TENSORS = 256;
  static constexpr uint32_t BLOCK_FLOATS = 8;

 public:
  __aicore__ inline KernelForeachNorm(const ForeachTilingData& tiling, bool squares)
      : tiling_(tiling), squares_(squares), firstTensor_(tiling.startTensor[GetBlockIdx()]) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR partials, TPipe* pipe) {
    x_ = x;
    y_ = y;
    partials_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(partials), GetBlockNum() * MAX_TENSORS);
    pipe->InitBuffer(xQueue_, elementwise::BUFFERS, tiling_.bufferLength * sizeof(T));
    pipe->InitBuffer(sumsBuffer_, MAX_TENSORS * sizeof(float));
    pipe->InitBuffer(partsBuffer_, GetBlockNum() * BLOCK_FLOATS * sizeof(float));
    pipe->InitBuffer(resultQueue_, elementwise::BUFFERS, BLOCK_FLOATS * sizeof(float));
    pipe->InitBuffer(rootBuffer_, BLOCK_FLOATS * sizeof(float));
    pipe->InitBuffer(workBuffer_, tiling_.workBytes);
    const Work work(workBuffer_.Get<uint8_t>(), tiling_.bufferLength);
    powers_ = work.Slot(0);
    lanes_ = work.Slot(1);
    reduced_ = work.Slot(2);
    sums_ = sumsBuffer_.Get<float>();
  }

  // The sums of this core's part of each tensor, in the workspace.
  __aicore__ inline void AddUp(foreach::Walk& walk) {
    Tile next;
    bool more = walk.Next(next);
    if (!more) {
      return;
    }
    uint32_t tensors = next.tensor - firstTensor_;
    for (uint32_t i = 0; i < tensors; ++i) {
      sums_.SetValue(i, 0.0f);
    }
    Load(next);
    Duplicate(lanes_, 0.0f, static_cast<int32_t>(tiling_.tileLength));
    while (more) {
      const Tile current = next;
      more = walk.Next(next);
      if (more) {
        Load(next);
      }
      AddTile(current.count);
      if (!more || next.tensor != current.tensor) {
        Finish(current.tensor);
        for (tensors = current.tensor + 1; more && tensors < next.tensor; ++tensors) {
          sums_.SetValue(tensors - firstTensor_, 0.0f);
        }
      }
    }
    const uint32_t count = next.tensor - firstTensor_ + 1;
    Synchronise<HardEvent::S_MTE3>();
    DataCopyPad(partials_[GetBlockIdx() * MAX_TENSORS], sums_,
                DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(float)), 0, 0, 0});
  }

  // The norms of every so many tensors, from the parts of all cores.
  __aicore__ inline void Combine() {
    for (uint32_t tensor = GetBlockIdx(); tensor < tiling_.tensors; tensor += GetBlockNum()) {
      const float sum = tiling_.tensorLength[tensor] > 0 ? SumOfParts(tensor) : 0.0f;
      Write(tensor, sum);
    }
  }

 private:
  // A part for each of the cores that worked on the tensor; all but the first of them began with it.
  __aicore__ inline float SumOfParts(uint32_t tensor) {
    uint32_t first = 0;
    while (tiling_.endTensor[first] < tensor || tiling_.startTensor[first] > tensor) {
      ++first;
    }
    uint32_t others = 0;
    for (uint32_t core = first + 1;
         core < GetBlockNum() && tiling_.startTensor[core] <= tensor && tensor <= tiling_.endTensor[core]; ++core) {
      ++others;
    }
    const LocalTensor<float> parts = partsBuffer_.Get<float>();
    const DataCopyPadExtParams<float> pad{};
    Synchronise<HardEvent::S_MTE2>();
    DataCopyPad(parts, partials_[first * MAX_TENSORS + tensor - tiling_.startTensor[first]],
                DataCopyExtParams{1, sizeof(float), 0, 0, 0}, pad);
    if (others > 0) {
      DataCopyPad(
          parts[BLOCK_FLOATS], partials_[(first + 1) * MAX_TENSORS],
          DataCopyExtParams{static_cast<uint16_t>(others), sizeof(float), (MAX_TENSORS - 1) * sizeof(float), 0, 0},
          pad);
    }
    Synchronise<HardEvent::MTE2_S>();
    float sum = 0.0f;
    for (uint32_t i = 0; i <= others; ++i) {
      sum += parts.GetValue(i * BLOCK_FLOATS);
    }
    return sum;
  }

  __aicore__ inline void Load(const Tile& tile) {
    const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(foreach::Walk::Address(x_, tile.tensor)) + tile.offset,
                         tile.count);
    LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    DataCopyPad(x, xGm_, copy, DataCopyPadExtParams<T>{});
    xQueue_.EnQue(x);
  }

  __aicore__ inline void AddTile(uint32_t length) {
    const int32_t count = static_cast<int32_t>(length);
    LocalTensor<T> x = xQueue_.template DeQue<T>();
    if constexpr (IsSameType<T, float>::value) {
      Power(x, count);
    } else {
      Cast(powers_, x, RoundMode::CAST_NONE, length);
      Power(powers_, count);
    }
    xQueue_.FreeTensor(x);
    Add(lanes_, lanes_, powers_, count);
  }

  __aicore__ inline void Power(const LocalTensor<float>& x, int32_t count) {
    if (squares_) {
      Mul(powers_, x, x, count);
    } else {
      Abs(powers_, x, count);
    }
  }

  __aicore__ inline void Finish(uint32_t tensor) {
    ReduceSum(powers_, lanes_, reduced_, static_cast<int32_t>(tiling_.tileLength));
    Synchronise<HardEvent::V_S>();
    sums_.SetValue(tensor - firstTensor_, powers_.GetValue(0));
    Duplicate(lanes_, 0.0f, static_cast<int32_t>(tiling_.tileLength));
  }

  __aicore__ inline void Write(uint32_t tensor, float sum) {
    const int32_t count = static_cast<int32_t>(BLOCK_FLOATS);
    LocalTensor<float> root = rootBuffer_.Get<float>();
    LocalTensor<T> result = resultQueue_.template AllocTensor<T>();
    Duplicate(root, sum, count);
    if (squares_) {
      Sqrt(root, root, count);
    }
    if constexpr (IsSameType<T, float>::value) {
      Adds(result, root, 0.0f, count);
    } else {
      Cast(result, root, RoundMode::CAST_RINT, BLOCK_FLOATS);
    }
    resultQueue_.EnQue(result);
    result = resultQueue_.template DeQue<T>();
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(foreach::Walk::Address(y_, tensor)), 1);
    DataCopyPad(yGm_, result, DataCopyExtParams{1, sizeof(T), 0, 0, 0});
    resultQueue_.FreeTensor(result);
  }

  const ForeachTilingData& tiling_;
  TQue<QuePosition::VECIN, elementwise::BUFFERS> xQueue_;
  TQue<QuePosition::VECOUT, elementwise::BUFFERS> resultQueue_;
  TBuf<TPosition::VECCALC> sumsBuffer_;
  TBuf<TPosition::VECCALC> partsBuffer_;
  TBuf<TPosition::VECCALC> rootBuffer_;
  TBuf<TPosition::VECCALC> workBuffer_;
  LocalTensor<float> powers_;
  LocalTensor<float> lanes_;
  LocalTensor<float> reduced_;
  LocalTensor<float> sums_;
  GlobalTensor<T> xGm_;
  GlobalTensor<T> yGm_;
  GlobalTensor<float> partials_;
  GM_ADDR x_ = nullptr;
  GM_ADDR y_ = nullptr;
  bool squares_;
  uint32_t firstTensor_;
};

extern "C" __global__ __aicore__ void foreach_norm(GM_ADDR x, GM_ADDR scalar, GM_ADDR y, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  foreach::Walk walk(tilingData);
  KernelForeachNorm<DTYPE_X> op(tilingData, elementwise::ReadScalar<float, DTYPE_SCALAR>(scalar) == 2.0f);
  op.Init(x, y, GetUserWorkspace(workspace), &pipe);
  op.AddUp(walk);
  SyncAll();
  op.Combine();
}
