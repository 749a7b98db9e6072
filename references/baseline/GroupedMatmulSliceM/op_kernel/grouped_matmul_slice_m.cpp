// Rows ends[g - 1] .. ends[g] of a[m, k] times b[g], float16 with float32 sums.
#include "common/inc/op_kernel/grouped_blocks.h"

extern "C" __global__ __aicore__ void grouped_matmul_slice_m(GM_ADDR a, GM_ADDR b, GM_ADDR groupList, GM_ADDR c,
                                                             GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  GroupedMatmul<false> op;
  op.Init(a, b, groupList, c, tilingData, &pipe);
  op.Process();
}
