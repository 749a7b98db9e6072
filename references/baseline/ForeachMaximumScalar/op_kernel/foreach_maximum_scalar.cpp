// y[i] = max(x[i], scalar) for a list of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename Scalars>
struct MaximumWithScalar {
  using C = typename Scalars::Type;

  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Maxs(y, x, scalars.Of(tile), count);
  }

  Scalars scalars;
};

extern "C" __global__ __aicore__ void foreach_maximum_scalar(GM_ADDR x, GM_ADDR scalar, GM_ADDR y, GM_ADDR workspace,
                                                             GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, MaximumWithScalar<foreach::ScalarOfAll<DTYPE_X, DTYPE_SCALAR>>> op;
  op.formula.scalars.Init(scalar);
  foreach::Run(op, x, y, tilingData);
}
