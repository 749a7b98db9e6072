// x = x1 + x2 + bias, y = (x - mean) * rstd * gamma + beta over the last axes; float32 inside, y and x rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct AddLayerNormConfig : NormConfig {
  using X1 = DTYPE_X1;
  using X2 = DTYPE_X2;
  using Sum = DTYPE_Y;
  using Y = DTYPE_Y;
  using Weight = DTYPE_GAMMA;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = true;
  static constexpr bool STATISTICS = true;
};

extern "C" __global__ __aicore__ void add_layer_norm(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR beta, GM_ADDR bias,
                                                     GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, GM_ADDR x,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<AddLayerNormConfig> op;
  RowNorm<AddLayerNormConfig>::Arguments arguments;
  arguments.x1 = x1;
  arguments.x2 = x2;
  arguments.bias = bias;
  arguments.gamma = gamma;
  arguments.beta = beta;
  arguments.y = y;
  arguments.mean = mean;
  arguments.rstd = rstd;
  arguments.sum = x;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
