// s = x + y, res_out = (s - mean) / sqrt(variance + epsilon) * gamma + beta over the last axis; float32.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct PreLayerNormConfig : NormConfig {
  using X1 = float;
  using X2 = float;
  using Sum = float;
  using Y = float;
  using Weight = float;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = true;
  static constexpr bool STATISTICS = false;
};

extern "C" __global__ __aicore__ void pre_layer_norm(GM_ADDR x, GM_ADDR y, GM_ADDR gamma, GM_ADDR beta, GM_ADDR resOut,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<PreLayerNormConfig> op;
  RowNorm<PreLayerNormConfig>::Arguments arguments;
  arguments.x1 = x;
  arguments.x2 = y;
  arguments.gamma = gamma;
  arguments.beta = beta;
  arguments.y = resOut;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
