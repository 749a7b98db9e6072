// y[i] = x[i] rounded to whole numbers, for a list of tensors. The mode is a number: 1 to the nearest, halves to even;
// 2 down; 3 up; 4 to the nearest, halves away from zero; 5 towards zero; 7 leaves what 5 takes away.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct RoundOff {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    switch (mode) {
      case 1: return Cast(y, x, RoundMode::CAST_RINT, count);
      case 2: return Cast(y, x, RoundMode::CAST_FLOOR, count);
      case 3: return Cast(y, x, RoundMode::CAST_CEIL, count);
      case 4: return Cast(y, x, RoundMode::CAST_ROUND, count);
      case 5: return Cast(y, x, RoundMode::CAST_TRUNC, count);
      default:
        LocalTensor<float> whole = work.Slot(0);
        Cast(whole, x, RoundMode::CAST_TRUNC, count);
        Sub(y, x, whole, count);
    }
  }

  int32_t mode;
};

extern "C" __global__ __aicore__ void foreach_round_off_number(GM_ADDR x, GM_ADDR roundMode, GM_ADDR y,
                                                               GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, RoundOff> op;
  op.formula.mode = static_cast<int32_t>(elementwise::ReadScalar<float, DTYPE_ROUNDMODE>(roundMode));
  foreach::Run(op, x, y, tilingData);
}
