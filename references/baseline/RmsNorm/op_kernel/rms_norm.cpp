// rstd = 1 / sqrt(mean(x * x) + epsilon) over the last axis, y = x * rstd * gamma; float32 inside, y rounded once.
#include "kernel_operator.h"
#include "rms_norm_split_rows.h"
#include "rms_norm_whole_rows.h"

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    KernelRmsNormWholeRows<DTYPE_X, DTYPE_GAMMA> op;
    op.Init(x, gamma, y, rstd, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    KernelRmsNormSplitRows<DTYPE_X, DTYPE_GAMMA> op;
    op.Init(x, gamma, y, rstd, tilingData, &pipe);
    op.Process();
  }
}
