// x = x1 + x2 + bias, x1 = (x - mean) * rstd * gamma + beta over the last axis and x2 = x where that is asked for;
// float32 inside, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct InplaceAddLayerNormConfig : NormConfig {
  using X1 = DTYPE_X1;
  using X2 = DTYPE_X1;
  using Sum = DTYPE_X1;
  using Y = DTYPE_X1;
  using Weight = DTYPE_X1;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = true;
  static constexpr bool STATISTICS = true;
};

extern "C" __global__ __aicore__ void inplace_add_layer_norm(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR beta,
                                                             GM_ADDR bias, GM_ADDR x1Out, GM_ADDR mean, GM_ADDR rstd,
                                                             GM_ADDR x2Out, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<InplaceAddLayerNormConfig> op;
  RowNorm<InplaceAddLayerNormConfig>::Arguments arguments;
  arguments.x1 = x1;
  arguments.x2 = x2;
  arguments.bias = bias;
  arguments.gamma = gamma;
  arguments.beta = beta;
  arguments.y = x1Out;
  arguments.mean = mean;
  arguments.rstd = rstd;
  arguments.sum = x2Out;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
