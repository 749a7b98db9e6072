// x = x1 + x2, n = x / sqrt(mean(x * x) + epsilon) * gamma over the last axis, y = int8(n / scales + zero_points), once
// or twice; float32 inside, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_norm.h"

struct AddRmsNormQuantConfig : NormConfig {
  using X1 = DTYPE_X1;
  using X2 = DTYPE_X1;
  using Sum = DTYPE_X1;
  using Y = float;
  using Weight = DTYPE_X1;
  static constexpr bool ADDS = true;
  static constexpr bool SCALED = false;
  static constexpr bool CENTRED = false;
  static constexpr bool STATISTICS = false;
  static constexpr bool QUANTISES = true;
  using Scale = DTYPE_SCALES1;
  using Zero = DTYPE_ZERO_POINTS1;
};

extern "C" __global__ __aicore__ void add_rms_norm_quant(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR scales1,
                                                         GM_ADDR scales2, GM_ADDR zeroPoints1, GM_ADDR zeroPoints2,
                                                         GM_ADDR y1, GM_ADDR y2, GM_ADDR x, GM_ADDR workspace,
                                                         GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  RowNorm<AddRmsNormQuantConfig> op;
  RowNorm<AddRmsNormQuantConfig>::Arguments arguments;
  arguments.x1 = x1;
  arguments.x2 = x2;
  arguments.gamma = gamma;
  arguments.quantised[0] = y1;
  arguments.quantised[1] = y2;
  arguments.scales[0] = scales1;
  arguments.scales[1] = scales2;
  arguments.zeros[0] = zeroPoints1;
  arguments.zeros[1] = zeroPoints2;
  arguments.sum = x;
  op.Init(arguments, tilingData, &pipe);
  op.Process();
}
