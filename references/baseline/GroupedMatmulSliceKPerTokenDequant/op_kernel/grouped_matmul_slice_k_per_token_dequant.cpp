// d[g] = columns ends[g - 1] .. ends[g] of a times as many rows of b, times scale[g] and per_token_scale[g]. The
// memory of a
// holds [k, m].
#include "common/inc/op_kernel/grouped_scaled.h"

extern "C" __global__ __aicore__ void grouped_matmul_slice_k_per_token_dequant(GM_ADDR a, GM_ADDR b, GM_ADDR scale,
                                                                               GM_ADDR perTokenScale, GM_ADDR groupList,
                                                                               GM_ADDR d, GM_ADDR workspace,
                                                                               GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  GroupedScaledMatmul<true> op;
  op.Init(a, b, scale, perTokenScale, groupList, d, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
