// s = alpha * x + gx, y = (s - mean) * rstd * gamma + beta over the last axis; float32 inside, y rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct DeepNormConfig : NormConfig {
  using X1 = DTYPE_X;
  using X2 = DTYPE_X;
  using Sum = DTYPE_X;
  using Y = DTYPE_X;
  using Weight = DTYPE_X;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = true;
  static constexpr bool CENTRED = true;
  static constexpr bool STATISTICS = true;
};

extern "C" __global__ __aicore__ void deep_norm(GM_ADDR x, GM_ADDR gx, GM_ADDR beta, GM_ADDR gamma, GM_ADDR mean,
                                                GM_ADDR rstd, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<DeepNormConfig> op;
  RowNorm<DeepNormConfig>::Arguments arguments;
  arguments.x1 = x;
  arguments.x2 = gx;
  arguments.gamma = gamma;
  arguments.beta = beta;
  arguments.y = y;
  arguments.mean = mean;
  arguments.rstd = rstd;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
