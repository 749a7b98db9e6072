// The k largest or smallest elements of lines along one axis, in order, and their positions. Elements become float
// keys that order as they do, NaN after infinity, and back: sorting moves nothing but keys and positions.
#include "top_kv3_long_lines.h"
#include "top_kv3_short_lines.h"

extern "C" __global__ __aicore__ void top_kv3(GM_ADDR x, GM_ADDR k, GM_ADDR values, GM_ADDR indices, GM_ADDR workspace,
                                              GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  if (TILING_KEY_IS(1)) {
    KernelShortLines op;
    op.Init(x, values, indices, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    KernelLongLines op;
    op.Init(x, values, indices, tilingData, &pipe);
    op.Process();
  }
}
