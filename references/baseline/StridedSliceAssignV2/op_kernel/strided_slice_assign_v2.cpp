// input_value overwrites a strided slice of var, in place; the rest of var is never touched.
#include "kernel_operator.h"
#include "op_kernel/row_moves.h"

class KernelStridedSliceAssignV2 : public RowMoves<KernelStridedSliceAssignV2> {
 public:
  __aicore__ inline void Init(GM_ADDR inputValue, GM_ADDR var, const StridedSliceAssignV2TilingData& tiling,
                              AscendC::TPipe* pipe) {
    slice_ = &tiling;
    this->Start(inputValue, var, tiling.moves, pipe);
  }

  __aicore__ inline uint64_t From(uint64_t row) { return row; }

  // The axes are listed from the last one on.
  __aicore__ inline uint64_t ToBytes(uint64_t row) {
    uint64_t to = slice_->start;
    for (uint32_t axis = 0; axis < slice_->axes; ++axis) {
      const uint64_t extent = static_cast<uint64_t>(slice_->extents[axis]);
      to += row % extent * static_cast<uint64_t>(slice_->strides[axis]);
      row /= extent;
    }
    return to;
  }

 private:
  const StridedSliceAssignV2TilingData* slice_ = nullptr;
};

extern "C" __global__ __aicore__ void strided_slice_assign_v2(GM_ADDR var, GM_ADDR inputValue, GM_ADDR begin,
                                                              GM_ADDR end, GM_ADDR strides, GM_ADDR axes,
                                                              GM_ADDR varOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelStridedSliceAssignV2 op;
  op.Init(inputValue, varOut, tilingData, &pipe);
  op.Process();
}
