// Root of the sum of the squares of n elements, incx apart, in float32.
#include "kernel_operator.h"
#include "op_kernel/strided_vector.h"

template <typename T>
class KernelSnrm2 : public VectorSum<KernelSnrm2<T>, T> {
 public:
  __aicore__ inline void Term(const rows::Floats& x, int32_t count) { AscendC::Mul(x, x, x, count); }
  __aicore__ inline void Total(const rows::Floats& sum) { AscendC::Sqrt(sum, sum, 1); }
};

extern "C" __global__ __aicore__ void snrm2(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelSnrm2<DTYPE_X> op;
  op.Init(x, result, workspace, tilingData, &pipe);
  op.Process();
}
