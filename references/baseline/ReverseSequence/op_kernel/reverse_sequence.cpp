// The first seq_lengths[b] positions of an axis in reverse order, for each index b of the batch axis.
#include "kernel_operator.h"
#include "op_kernel/row_moves.h"

template <typename LENGTH>
class KernelReverseSequence : public RowMoves<KernelReverseSequence<LENGTH>> {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR lengths, GM_ADDR y, const ReverseSequenceTilingData& tiling,
                              AscendC::TPipe* pipe) {
    reverse_ = &tiling;
    lengths_.SetGlobalBuffer(reinterpret_cast<__gm__ LENGTH*>(lengths), tiling.batch);
    this->Start(x, y, tiling.moves, pipe);
  }

  __aicore__ inline uint64_t From(uint64_t row) {
    const uint64_t position = row / reverse_->inner % reverse_->extent;
    const uint64_t length = static_cast<uint64_t>(lengths_.GetValue(row / reverse_->batchInner % reverse_->batch));
    if (position >= length) {
      return row;
    }
    return row - position * reverse_->inner + (length - 1 - position) * reverse_->inner;
  }

 private:
  const ReverseSequenceTilingData* reverse_ = nullptr;
  AscendC::GlobalTensor<LENGTH> lengths_;
};

extern "C" __global__ __aicore__ void reverse_sequence(GM_ADDR x, GM_ADDR seqLengths, GM_ADDR y, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelReverseSequence<DTYPE_SEQ_LENGTHS> op;
  op.Init(x, seqLengths, y, tilingData, &pipe);
  op.Process();
}
