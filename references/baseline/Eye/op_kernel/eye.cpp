// y = 1 on the main diagonal of every matrix. y arrives filled with zeros, so that the ones are all there is to write.
#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class KernelEye {
  static constexpr uint32_t BLOCK_BYTES = 32;  // what an element takes in the unified buffer
  static constexpr uint32_t MAX_ONES = 2048;   // of one transfer

 public:
  __aicore__ inline void Init(GM_ADDR y, const EyeTilingData& tiling, TPipe* pipe) {
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    next_ = core * tiling.onesPerCore + (core < larger ? core : larger);
    end_ = next_ + tiling.onesPerCore + (core < larger ? 1 : 0);
    diagonal_ = tiling.diagonal;
    columns_ = tiling.columns;
    matrixLength_ = tiling.matrixLength;
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y));
    const uint64_t length = end_ - next_ < diagonal_ ? end_ - next_ : diagonal_;
    step_ = length < MAX_ONES ? static_cast<uint32_t>(length) : MAX_ONES;
    pipe->InitBuffer(queue_, 1, (step_ > 0 ? step_ : 1) * BLOCK_BYTES);
  }

  __aicore__ inline void Process() {
    if (next_ == end_) {
      return;
    }
    LocalTensor<T> ones = queue_.template AllocTensor<T>();
    Duplicate(ones, static_cast<T>(1), static_cast<int32_t>(step_ * BLOCK_BYTES / sizeof(T)));
    queue_.EnQue(ones);
    ones = queue_.template DeQue<T>();
    while (next_ < end_) {
      const uint64_t row = next_ % diagonal_;
      uint64_t count = diagonal_ - row < end_ - next_ ? diagonal_ - row : end_ - next_;
      count = count < step_ ? count : step_;
      const DataCopyExtParams copy{static_cast<uint16_t>(count), sizeof(T), 0,
                                   static_cast<uint32_t>(columns_ * sizeof(T)), 0};
      DataCopyPad(y_[next_ / diagonal_ * matrixLength_ + row * (columns_ + 1)], ones, copy);
      next_ += count;
    }
    queue_.FreeTensor(ones);
  }

 private:
  TQue<QuePosition::VECOUT, 1> queue_;
  GlobalTensor<T> y_;
  uint64_t next_ = 0;
  uint64_t end_ = 0;
  uint64_t diagonal_ = 1;
  uint64_t columns_ = 1;
  uint64_t matrixLength_ = 1;
  uint32_t step_ = 0;
};

extern "C" __global__ __aicore__ void eye(GM_ADDR y, GM_ADDR yOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelEye<DTYPE_Y> op;
  op.Init(yOut, tilingData, &pipe);
  op.Process();
}
