// Gradient of the layer norm of alpha * x + gx, by gx and, times alpha, by x; float32 inside.
#include "kernel_operator.h"
#include "op_kernel/row_norm_grad.h"

struct DeepNormGradConfig {
  using X = DTYPE_DY;
  using Weight = DTYPE_DY;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = true;
  static constexpr bool CENTRED = true;
  static constexpr bool CORRECTED = false;
};

extern "C" __global__ __aicore__ void deep_norm_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR gx, GM_ADDR gamma, GM_ADDR mean,
                                                     GM_ADDR rstd, GM_ADDR dx, GM_ADDR dgx, GM_ADDR dbeta,
                                                     GM_ADDR dgamma, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNormGrad<DeepNormGradConfig> op;
  RowNormGrad<DeepNormGradConfig>::Arguments arguments;
  arguments.dy = dy;
  arguments.x1 = x;
  arguments.x2 = gx;
  arguments.gamma = gamma;
  arguments.mean = mean;
  arguments.rstd = rstd;
  arguments.dx = dgx;
  arguments.scaledDx = dx;
  arguments.dgamma = dgamma;
  arguments.dbeta = dbeta;
  op.Init(arguments, tilingData, workspace, &pipe);
  op.Process();
}
