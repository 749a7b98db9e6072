// y = (x - mean) * rstd * gamma + beta over the last axes; float32 inside, y rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct LayerNormV4Config : NormConfig {
  using X1 = DTYPE_X;
  using X2 = DTYPE_X;
  using Sum = DTYPE_X;
  using Y = DTYPE_Y;
  using Weight = DTYPE_GAMMA;
  static constexpr bool ADDS = false;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = true;
  static constexpr bool STATISTICS = true;
};

extern "C" __global__ __aicore__ void layer_norm_v4(GM_ADDR x, GM_ADDR normalizedShape, GM_ADDR gamma, GM_ADDR beta,
                                                    GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<LayerNormV4Config> op;
  RowNorm<LayerNormV4Config>::Arguments arguments;
  arguments.x1 = x;
  arguments.gamma = gamma;
  arguments.beta = beta;
  arguments.y = y;
  arguments.mean = mean;
  arguments.rstd = rstd;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
