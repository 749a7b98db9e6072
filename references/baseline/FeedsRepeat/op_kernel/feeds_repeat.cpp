// Each row of feeds as often as is said; what is left of y is 0.
#include "kernel_operator.h"
#include "op_kernel/row_moves.h"

template <typename TIMES>
class KernelFeedsRepeat : public RowMoves<KernelFeedsRepeat<TIMES>> {
 public:
  __aicore__ inline void Init(GM_ADDR feeds, GM_ADDR times, GM_ADDR y, const FeedsRepeatTilingData& tiling,
                              AscendC::TPipe* pipe) {
    feeds_ = tiling.feeds;
    times_.SetGlobalBuffer(reinterpret_cast<__gm__ TIMES*>(times), tiling.feeds);
    this->Start(feeds, y, tiling.moves, pipe);
    uint64_t rows = 0;
    for (uint64_t feed = 0; feed < feeds_; ++feed) {
      rows += static_cast<uint64_t>(times_.GetValue(feed));
    }
    this->ZeroFrom(rows, pipe);
  }

  // Rows come in ascending order: the place is where the last one was, or further on.
  __aicore__ inline uint64_t From(uint64_t row) {
    while (feed_ < feeds_ && row >= end_) {
      end_ += static_cast<uint64_t>(times_.GetValue(feed_));
      ++feed_;
    }
    return feed_ - 1;
  }

 private:
  AscendC::GlobalTensor<TIMES> times_;
  uint64_t feeds_ = 0;
  uint64_t feed_ = 0;  // behind the one that row end_ - 1 comes from
  uint64_t end_ = 0;
};

extern "C" __global__ __aicore__ void feeds_repeat(GM_ADDR feeds, GM_ADDR feedsRepeatTimes, GM_ADDR y,
                                                   GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelFeedsRepeat<DTYPE_FEEDS_REPEAT_TIMES> op;
  op.Init(feeds, feedsRepeatTimes, y, tilingData, &pipe);
  op.Process();
}
