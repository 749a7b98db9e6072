// x = x1 + x2, rstd = 1 / sqrt(mean(x * x) + epsilon) over the last axis, y1 = x * rstd * gamma in float32, y2 the same
// in the type of x1; float32 inside, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct AddRmsNormCastConfig : NormConfig {
  using X1 = DTYPE_X1;
  using X2 = DTYPE_X1;
  using Sum = DTYPE_X1;
  using Y = float;
  using Weight = DTYPE_X1;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = false;
  static constexpr bool STATISTICS = true;
  static constexpr bool CASTS = true;
};

extern "C" __global__ __aicore__ void add_rms_norm_cast(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR y1, GM_ADDR y2,
                                                        GM_ADDR rstd, GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<AddRmsNormCastConfig> op;
  RowNorm<AddRmsNormCastConfig>::Arguments arguments;
  arguments.x1 = x1;
  arguments.x2 = x2;
  arguments.gamma = gamma;
  arguments.y = y1;
  arguments.cast = y2;
  arguments.rstd = rstd;
  arguments.sum = x;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
