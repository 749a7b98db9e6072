// Gradient of the layer norm of x1 + x2, with dsum added to dx; float32 inside.
#include "kernel_operator.h"
#include "op_kernel/row_norm_grad.h"

struct AddLayerNormGradConfig {
  using X = DTYPE_DY;
  using Weight = DTYPE_DY;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = true;
  static constexpr bool CORRECTED = true;
};

extern "C" __global__ __aicore__ void add_layer_norm_grad(GM_ADDR dy, GM_ADDR x1, GM_ADDR x2, GM_ADDR rstd,
                                                          GM_ADDR mean, GM_ADDR gamma, GM_ADDR dsum, GM_ADDR dx,
                                                          GM_ADDR dgamma, GM_ADDR dbeta, GM_ADDR workspace,
                                                          GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNormGrad<AddLayerNormGradConfig> op;
  RowNormGrad<AddLayerNormGradConfig>::Arguments arguments;
  arguments.dy = dy;
  arguments.x1 = x1;
  arguments.x2 = x2;
  arguments.rstd = rstd;
  arguments.mean = mean;
  arguments.gamma = gamma;
  arguments.dsum = dsum;
  arguments.dx = dx;
  arguments.dgamma = dgamma;
  arguments.dbeta = dbeta;
  op.Init(arguments, tilingData, workspace, &pipe);
  op.Process();
}
