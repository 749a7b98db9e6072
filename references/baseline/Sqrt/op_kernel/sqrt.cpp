// y = sqrt(x), computed in float32 and rounded once to the type of x.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;

template <typename T>
class KernelSqrt {
 public:
  __aicore__ inline KernelSqrt() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SqrtTilingData& tiling, TPipe* pipe) {
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    const uint64_t units = tiling.unitsPerCore + (core < larger ? 1 : 0);
    const uint64_t first = (core * tiling.unitsPerCore + (core < larger ? core : larger)) * tiling.unitLength;
    const uint64_t left = tiling.totalLength - first;
    length_ = units * tiling.unitLength < left ? units * tiling.unitLength : left;
    tileLength_ = tiling.tileLength;

    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + first, length_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + first, length_);

    pipe->InitBuffer(xQueue_, BUFFER_NUM, tiling.bufferLength * sizeof(T));
    pipe->InitBuffer(yQueue_, BUFFER_NUM, tiling.bufferLength * sizeof(T));
    if constexpr (!IsSameType<T, float>::value) {
      pipe->InitBuffer(wideBuffer_, tiling.bufferLength * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    Load(0);
    for (uint64_t offset = 0; offset < length_; offset += tileLength_) {
      if (offset + tileLength_ < length_) {
        Load(offset + tileLength_);
      }
      Compute(static_cast<int32_t>(CountAt(offset)));
      Store(offset);
    }
  }

 private:
  __aicore__ inline uint32_t CountAt(uint64_t offset) {
    return length_ - offset < tileLength_ ? static_cast<uint32_t>(length_ - offset) : tileLength_;
  }

  __aicore__ inline DataCopyExtParams CopyAt(uint64_t offset) {
    return DataCopyExtParams{1, static_cast<uint32_t>(CountAt(offset) * sizeof(T)), 0, 0, 0};
  }

  __aicore__ inline void Load(uint64_t offset) {
    const DataCopyPadExtParams<T> pad{};
    LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    DataCopyPad(x, xGm_[offset], CopyAt(offset), pad);
    xQueue_.EnQue(x);
  }

  __aicore__ inline void Compute(int32_t count) {
    LocalTensor<T> x = xQueue_.template DeQue<T>();
    LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    if constexpr (IsSameType<T, float>::value) {
      Sqrt(y, x, count);
    } else {
      LocalTensor<float> wide = wideBuffer_.Get<float>();
      Cast(wide, x, RoundMode::CAST_NONE, count);
      Sqrt(wide, wide, count);
      Cast(y, wide, RoundMode::CAST_RINT, count);
    }
    yQueue_.EnQue(y);
    xQueue_.FreeTensor(x);
  }

  __aicore__ inline void Store(uint64_t offset) {
    LocalTensor<T> y = yQueue_.template DeQue<T>();
    DataCopyPad(yGm_[offset], y, CopyAt(offset));
    yQueue_.FreeTensor(y);
  }

  TQue<QuePosition::VECIN, BUFFER_NUM> xQueue_;
  TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  TBuf<TPosition::VECCALC> wideBuffer_;
  GlobalTensor<T> xGm_;
  GlobalTensor<T> yGm_;
  uint64_t length_ = 0;
  uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelSqrt<DTYPE_X> op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}
