// y[i] = x1[i] + weight * (x2[i] - x1[i]) for lists of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Interpolate {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x1,
                                 const LocalTensor<float>& x2, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Sub(x2, x2, x1, count);
    Muls(x2, x2, weight, count);
    Add(y, x1, x2, count);
  }

  float weight;
};

extern "C" __global__ __aicore__ void foreach_lerp_scalar(GM_ADDR x1, GM_ADDR x2, GM_ADDR weight, GM_ADDR y,
                                                          GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X1, 2, Interpolate> op;
  op.formula.weight = elementwise::ReadScalar<float, DTYPE_WEIGHT>(weight);
  foreach::Run(op, x1, x2, y, tilingData);
}
