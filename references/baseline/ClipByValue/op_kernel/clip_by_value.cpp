// y = min(max(x, clip_value_min), clip_value_max); the limits are tensors of one element.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

using C = typename elementwise::ComputedAs<DTYPE_X>::Type;

struct Clip {
  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Maxs(y, x, low.Value(), count);
    Mins(y, y, high.Value(), count);
  }

  elementwise::ScalarOperand<DTYPE_X, DTYPE_X> low;
  elementwise::ScalarOperand<DTYPE_X, DTYPE_X> high;
};

extern "C" __global__ __aicore__ void clip_by_value(GM_ADDR x, GM_ADDR clipValueMin, GM_ADDR clipValueMax, GM_ADDR y,
                                                    GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Clip> op;
  op.formula.low.Init(clipValueMin);
  op.formula.high.Init(clipValueMax);
  elementwise::Run(op, x, y, tilingData);
}
