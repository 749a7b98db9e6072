// Rows ends[g - 1] .. ends[g] of a[m, k] times b[g], times scale[g] and the factor of the row.
#include "common/inc/op_kernel/grouped_scaled.h"

extern "C" __global__ __aicore__ void grouped_matmul_slice_m_per_token_dequant(GM_ADDR a, GM_ADDR b, GM_ADDR scale,
                                                                               GM_ADDR perTokenScale, GM_ADDR groupList,
                                                                               GM_ADDR d, GM_ADDR workspace,
                                                                               GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  GroupedScaledMatmul<false> op;
  op.Init(a, b, scale, perTokenScale, groupList, d, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
