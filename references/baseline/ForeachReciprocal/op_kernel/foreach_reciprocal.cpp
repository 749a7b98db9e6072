// y[i] = 1 / x[i] for a list of tensors, by a division: the instruction Reciprocal is good to three digits.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Inverse {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> ones = work.Slot(0);
    Duplicate(ones, 1.0f, count);
    Div(y, ones, x, count);
  }
};

extern "C" __global__ __aicore__ void foreach_reciprocal(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Inverse> op;
  foreach::Run(op, x, y, tilingData);
}
