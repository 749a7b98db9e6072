// c = x * rstd, g = dy * gamma, dx = rstd * (g - c * mean(g * c)), dgamma = sum of dy * c over all rows; float32
// inside.
#include "kernel_operator.h"
#include "op_kernel/row_norm_grad.h"

struct RmsNormGradConfig {
  using X = DTYPE_DY;
  using Weight = DTYPE_GAMMA;
  static constexpr bool ADDS = false;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = false;
  static constexpr bool CORRECTED = false;
};

extern "C" __global__ __aicore__ void rms_norm_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR rstd, GM_ADDR gamma, GM_ADDR dx,
                                                    GM_ADDR dgamma, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNormGrad<RmsNormGradConfig> op;
  RowNormGrad<RmsNormGradConfig>::Arguments arguments;
  arguments.dy = dy;
  arguments.x1 = x;
  arguments.rstd = rstd;
  arguments.gamma = gamma;
  arguments.dx = dx;
  arguments.dgamma = dgamma;
  op.Init(arguments, tilingData, workspace, &pipe);
  op.Process();
}
