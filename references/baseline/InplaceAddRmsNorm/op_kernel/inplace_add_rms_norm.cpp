// x = x1 + x2, rstd = 1 / sqrt(mean(x * x) + epsilon) over the last axis, x1 = x * rstd * gamma, x2 = x; float32
// inside, x1 and x2 rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct InplaceAddRmsNormConfig : NormConfig {
  using X1 = DTYPE_X1;
  using X2 = DTYPE_X1;
  using Sum = DTYPE_X1;
  using Y = DTYPE_X1;
  using Weight = DTYPE_X1;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = false;
  static constexpr bool STATISTICS = true;
};

extern "C" __global__ __aicore__ void inplace_add_rms_norm(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR x1Out,
                                                           GM_ADDR rstd, GM_ADDR x2Out, GM_ADDR workspace,
                                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<InplaceAddRmsNormConfig> op;
  RowNorm<InplaceAddRmsNormConfig>::Arguments arguments;
  arguments.x1 = x1;
  arguments.x2 = x2;
  arguments.gamma = gamma;
  arguments.y = x1Out;
  arguments.rstd = rstd;
  arguments.sum = x2Out;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
