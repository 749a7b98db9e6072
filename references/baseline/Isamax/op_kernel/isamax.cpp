// Position, counted from 1, of the first of n elements, incx apart, whose magnitude is largest.
#include "kernel_operator.h"
#include "op_kernel/strided_vector.h"

extern "C" __global__ __aicore__ void isamax(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  VectorExtreme<1, true> op;
  op.Init(x, result, workspace, tilingData, &pipe);
  op.Process();
}
