// Sum of the magnitudes of n elements, incx apart; float32 inside.
#include "kernel_operator.h"
#include "op_kernel/strided_vector.h"

template <typename T>
class KernelSasum : public VectorSum<KernelSasum<T>, T> {
 public:
  __aicore__ inline void Term(const rows::Floats& x, int32_t count) { AscendC::Abs(x, x, count); }
  __aicore__ inline void Total(const rows::Floats&) {}
};

extern "C" __global__ __aicore__ void sasum(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelSasum<DTYPE_X> op;
  op.Init(x, result, workspace, tilingData, &pipe);
  op.Process();
}
