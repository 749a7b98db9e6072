// y[i] = x[i * incx] for n complex numbers of 8 bytes. Elements apart are loaded one block each and stored without the
// gaps.
#include "op_kernel/elementwise_move.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

class StridedCopy {
  using T = int64_t;
  static constexpr uint32_t BLOCK_LENGTH = 4;   // elements in the 32 bytes that each takes
  static constexpr uint32_t MAX_BLOCKS = 4095;  // of one transfer

 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ElementwiseTilingData& tiling, TPipe* pipe) {
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x));
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), tiling.totalLength);
    increment_ = static_cast<uint64_t>(tiling.increment);
    step_ = tiling.bufferLength < MAX_BLOCKS ? tiling.bufferLength : MAX_BLOCKS;
    pipe->InitBuffer(queue_, elementwise::BUFFERS, step_ * BLOCK_LENGTH * sizeof(T));
  }

  __aicore__ inline void Process(elementwise::Range& range) {
    elementwise::Tile tile;
    while (range.Next(tile)) {
      for (uint32_t done = 0; done < tile.count; done += step_) {
        const uint32_t left = tile.count - done;
        CopyPart(tile.offset + done, left < step_ ? left : step_);
      }
    }
  }

 private:
  __aicore__ inline void CopyPart(uint64_t first, uint32_t count) {
    const uint16_t blocks = static_cast<uint16_t>(count);
    const uint32_t gap = static_cast<uint32_t>((increment_ - 1) * sizeof(T));
    LocalTensor<T> elements = queue_.AllocTensor<T>();
    DataCopyPad(elements, x_[first * increment_], DataCopyExtParams{blocks, sizeof(T), gap, 0, 0},
                DataCopyPadExtParams<T>{});
    queue_.EnQue(elements);
    elements = queue_.DeQue<T>();
    DataCopyPad(y_[first], elements, DataCopyExtParams{blocks, sizeof(T), 0, 0, 0});
    queue_.FreeTensor(elements);
  }

  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, elementwise::BUFFERS> queue_;
  GlobalTensor<T> x_;
  GlobalTensor<T> y_;
  uint64_t increment_ = 1;
  uint32_t step_ = 0;
};

extern "C" __global__ __aicore__ void ccopy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  elementwise::Range range(tilingData);
  if (tilingData.increment == 1) {
    elementwise::Move<int64_t, elementwise::Range> move(range);
    move.Init(x, y, tilingData, &pipe);
    move.Process();
  } else {
    StridedCopy copy;
    copy.Init(x, y, tilingData, &pipe);
    copy.Process(range);
  }
}
