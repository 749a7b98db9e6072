// c = a * b; K is shared among cores where there are fewer blocks than cores.
#include "common/inc/op_kernel/whole_product.h"

extern "C" __global__ __aicore__ void splitk_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  WholeProductKernel op;
  op.Init(a, b, c, GetUserWorkspace(workspace), tilingData.product, &pipe);
  if (TILING_KEY_IS(1)) {
    KERNEL_TASK_TYPE(1, KERNEL_TYPE_MIX_AIC_1_0);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    op.ProcessAssisted();
  }
}
