// y[i] = scalar^x[i] for a list of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename Scalars>
struct PowerOfScalar {
  using C = typename Scalars::Type;

  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    Power(y, scalars.Of(tile), x, work.Rest(0), tile.count);
  }

  Scalars scalars;
};

using Formula = PowerOfScalar<foreach::ScalarOfAll<DTYPE_X, DTYPE_SCALAR>>;

extern "C" __global__ __aicore__ void foreach_pow_scalar_and_tensor(GM_ADDR scalar, GM_ADDR x, GM_ADDR y,
                                                                    GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Formula, elementwise::APART> op;
  op.formula.scalars.Init(scalar);
  foreach::Run(op, x, y, tilingData);
}
