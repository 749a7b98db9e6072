// z = x + y in float16. While tile i is added, tile i + 1 is already on its way into the unified buffer.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t BANK_SHIFT_BYTES = 128;  // makes x and y of one step start in different banks

class KernelAdd {
 public:
  __aicore__ inline KernelAdd() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, const AddCustomTilingData& tiling, TPipe* pipe) {
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    const uint64_t units = tiling.unitsPerCore + (core < larger ? 1 : 0);
    const uint64_t first = (core * tiling.unitsPerCore + (core < larger ? core : larger)) * tiling.unitLength;
    const uint64_t left = tiling.totalLength - first;
    length_ = units * tiling.unitLength < left ? units * tiling.unitLength : left;
    tileLength_ = tiling.tileLength;

    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x) + first, length_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(y) + first, length_);
    zGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(z) + first, length_);

    const uint32_t bufferBytes = tiling.bufferLength * sizeof(half) + BANK_SHIFT_BYTES;
    pipe->InitBuffer(xQueue_, BUFFER_NUM, bufferBytes);
    pipe->InitBuffer(yQueue_, BUFFER_NUM, bufferBytes);
    pipe->InitBuffer(zQueue_, BUFFER_NUM, bufferBytes);
  }

  __aicore__ inline void Process() {
    Load(0);
    for (uint64_t offset = 0; offset < length_; offset += tileLength_) {
      if (offset + tileLength_ < length_) {
        Load(offset + tileLength_);
      }
      Compute(offset);
      Store(offset);
    }
  }

 private:
  __aicore__ inline uint32_t CountAt(uint64_t offset) {
    return length_ - offset < tileLength_ ? static_cast<uint32_t>(length_ - offset) : tileLength_;
  }

  __aicore__ inline DataCopyExtParams CopyAt(uint64_t offset) {
    return DataCopyExtParams{1, static_cast<uint32_t>(CountAt(offset) * sizeof(half)), 0, 0, 0};
  }

  __aicore__ inline void Load(uint64_t offset) {
    const DataCopyExtParams copy = CopyAt(offset);
    const DataCopyPadExtParams<half> pad{};
    LocalTensor<half> x = xQueue_.AllocTensor<half>();
    DataCopyPad(x, xGm_[offset], copy, pad);
    xQueue_.EnQue(x);
    LocalTensor<half> y = yQueue_.AllocTensor<half>();
    DataCopyPad(y, yGm_[offset], copy, pad);
    yQueue_.EnQue(y);
  }

  __aicore__ inline void Compute(uint64_t offset) {
    LocalTensor<half> x = xQueue_.DeQue<half>();
    LocalTensor<half> y = yQueue_.DeQue<half>();
    LocalTensor<half> z = zQueue_.AllocTensor<half>();
    Add(z, x, y, static_cast<int32_t>(CountAt(offset)));
    zQueue_.EnQue(z);
    xQueue_.FreeTensor(x);
    yQueue_.FreeTensor(y);
  }

  __aicore__ inline void Store(uint64_t offset) {
    LocalTensor<half> z = zQueue_.DeQue<half>();
    DataCopyPad(zGm_[offset], z, CopyAt(offset));
    zQueue_.FreeTensor(z);
  }

  TQue<QuePosition::VECIN, BUFFER_NUM> xQueue_;
  TQue<QuePosition::VECIN, BUFFER_NUM> yQueue_;
  TQue<QuePosition::VECOUT, BUFFER_NUM> zQueue_;
  GlobalTensor<half> xGm_;
  GlobalTensor<half> yGm_;
  GlobalTensor<half> zGm_;
  uint64_t length_ = 0;
  uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelAdd op;
  op.Init(x, y, z, tilingData, &pipe);
  op.Process();
}
