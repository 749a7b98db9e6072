// x, repeated along axes where its extent is 1 or which it lacks.
#include "kernel_operator.h"
#include "op_kernel/row_moves.h"

class KernelExpandV2 : public RowMoves<KernelExpandV2> {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ExpandV2TilingData& tiling, AscendC::TPipe* pipe) {
    expand_ = &tiling;
    this->Start(x, y, tiling.moves, pipe);
  }

  // The axes are listed from the last one on.
  __aicore__ inline uint64_t From(uint64_t row) {
    uint64_t from = 0;
    for (uint32_t axis = 0; axis < expand_->axes; ++axis) {
      const uint64_t extent = static_cast<uint64_t>(expand_->extents[axis]);
      from += row % extent * static_cast<uint64_t>(expand_->strides[axis]);
      row /= extent;
    }
    return from;
  }

 private:
  const ExpandV2TilingData* expand_ = nullptr;
};

extern "C" __global__ __aicore__ void expand_v2(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelExpandV2 op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}
