// y[i] = x1[i] + alpha * x2[i] for lists of tensors: the product is rounded to the type before the sum (bfloat16: both
// in float32, rounded once). One pipeline runs over tensor borders: the next tile, maybe of the next tensor, is on its
// way while this one is computed.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t BANK_SHIFT_BYTES = 128;  // makes x1 and x2 of one step start in different banks

// A list arrives as the address of a descriptor: its first word is the byte offset of the table of data addresses.
template <typename T>
__aicore__ inline __gm__ T* TensorAddress(GM_ADDR list, uint16_t index) {
  __gm__ uint64_t* descriptor = reinterpret_cast<__gm__ uint64_t*>(list);
  __gm__ uint64_t* addresses = descriptor + descriptor[0] / sizeof(uint64_t);
  return reinterpret_cast<__gm__ T*>(addresses[index]);
}

struct Tile {
  uint16_t tensor;
  int64_t offset;
  uint32_t count;
};

template <typename T, typename A>
class KernelForeachAddList {
  static constexpr bool WIDENED = IsSameType<T, bfloat16_t>::value;

 public:
  __aicore__ inline KernelForeachAddList() {}

  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR alpha, GM_ADDR y, const ForeachAddListTilingData& tiling,
                              TPipe* pipe) {
    tiling_ = &tiling;
    x1_ = x1;
    x2_ = x2;
    y_ = y;
    const uint32_t core = GetBlockIdx();
    tensor_ = tiling.startTensor[core];
    offset_ = tiling.startOffset[core];
    endTensor_ = tiling.endTensor[core];
    endOffset_ = tiling.endOffset[core];

    GlobalTensor<A> alphaGm;
    alphaGm.SetGlobalBuffer(reinterpret_cast<__gm__ A*>(alpha), 1);
    alpha_ = alphaGm.GetValue(0);

    const uint32_t bufferBytes = tiling.bufferLength * sizeof(T) + BANK_SHIFT_BYTES;
    pipe->InitBuffer(x1Queue_, BUFFER_NUM, bufferBytes);
    pipe->InitBuffer(x2Queue_, BUFFER_NUM, bufferBytes);
    pipe->InitBuffer(yQueue_, BUFFER_NUM, bufferBytes);
    if constexpr (WIDENED) {
      pipe->InitBuffer(wide1Buffer_, tiling.bufferLength * sizeof(float) + BANK_SHIFT_BYTES);
      pipe->InitBuffer(wide2Buffer_, tiling.bufferLength * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    Tile next;
    bool more = Advance(next);
    if (more) {
      Load(next);
    }
    while (more) {
      const Tile current = next;
      more = Advance(next);
      if (more) {
        Load(next);
      }
      Compute(static_cast<int32_t>(current.count));
      Store(current);
    }
  }

 private:
  // The next tile of this core's stretch; false at its end.
  __aicore__ inline bool Advance(Tile& tile) {
    for (; tensor_ <= endTensor_; ++tensor_, offset_ = 0) {
      const int64_t end = tensor_ == endTensor_ ? endOffset_ : tiling_->tensorLength[tensor_];
      if (offset_ < end) {
        const int64_t left = end - offset_;
        const uint32_t count = left < tiling_->tileLength ? static_cast<uint32_t>(left) : tiling_->tileLength;
        tile = {tensor_, offset_, count};
        offset_ += count;
        return true;
      }
    }
    return false;
  }

  __aicore__ inline DataCopyExtParams CopyOf(const Tile& tile) {
    return DataCopyExtParams{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
  }

  __aicore__ inline void Load(const Tile& tile) {
    const DataCopyExtParams copy = CopyOf(tile);
    const DataCopyPadExtParams<T> pad{};
    gm_.SetGlobalBuffer(TensorAddress<T>(x1_, tile.tensor) + tile.offset, tile.count);
    LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
    DataCopyPad(x1, gm_, copy, pad);
    x1Queue_.EnQue(x1);
    gm_.SetGlobalBuffer(TensorAddress<T>(x2_, tile.tensor) + tile.offset, tile.count);
    LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
    DataCopyPad(x2, gm_, copy, pad);
    x2Queue_.EnQue(x2);
  }

  __aicore__ inline void Compute(int32_t count) {
    LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
    LocalTensor<T> x2 = x2Queue_.template DeQue<T>();
    LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    if constexpr (WIDENED) {
      LocalTensor<float> wide1 = wide1Buffer_.Get<float>();
      LocalTensor<float> wide2 = wide2Buffer_.Get<float>();
      Cast(wide1, x1, RoundMode::CAST_NONE, count);
      Cast(wide2, x2, RoundMode::CAST_NONE, count);
      Muls(wide2, wide2, alpha_, count);
      Add(wide1, wide1, wide2, count);
      Cast(y, wide1, RoundMode::CAST_RINT, count);
    } else {
      Muls(y, x2, alpha_, count);
      Add(y, x1, y, count);
    }
    yQueue_.EnQue(y);
    x1Queue_.FreeTensor(x1);
    x2Queue_.FreeTensor(x2);
  }

  __aicore__ inline void Store(const Tile& tile) {
    LocalTensor<T> y = yQueue_.template DeQue<T>();
    gm_.SetGlobalBuffer(TensorAddress<T>(y_, tile.tensor) + tile.offset, tile.count);
    DataCopyPad(gm_, y, CopyOf(tile));
    yQueue_.FreeTensor(y);
  }

  TQue<QuePosition::VECIN, BUFFER_NUM> x1Queue_;
  TQue<QuePosition::VECIN, BUFFER_NUM> x2Queue_;
  TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  TBuf<TPosition::VECCALC> wide1Buffer_;
  TBuf<TPosition::VECCALC> wide2Buffer_;
  GlobalTensor<T> gm_;
  const ForeachAddListTilingData* tiling_ = nullptr;
  GM_ADDR x1_ = nullptr;
  GM_ADDR x2_ = nullptr;
  GM_ADDR y_ = nullptr;
  A alpha_;
  uint16_t tensor_ = 0;
  uint16_t endTensor_ = 0;
  int64_t offset_ = 0;
  int64_t endOffset_ = 0;
};

extern "C" __global__ __aicore__ void foreach_add_list(GM_ADDR x1, GM_ADDR x2, GM_ADDR alpha, GM_ADDR y,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelForeachAddList<DTYPE_X1, DTYPE_ALPHA> op;
  op.Init(x1, x2, alpha, y, tilingData, &pipe);
  op.Process();
}
