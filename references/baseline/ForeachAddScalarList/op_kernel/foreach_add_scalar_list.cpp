// y[i] = x[i] + scalars[i] for a list of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename Scalars>
struct AddScalar {
  using C = typename Scalars::Type;

  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Adds(y, x, scalars.Of(tile), count);
  }

  Scalars scalars;
};

extern "C" __global__ __aicore__ void foreach_add_scalar_list(GM_ADDR x, GM_ADDR scalars, GM_ADDR y, GM_ADDR workspace,
                                                              GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, AddScalar<foreach::ScalarOfEach<DTYPE_X, DTYPE_SCALARS>>> op;
  op.formula.scalars.Init(scalars);
  foreach::Run(op, x, y, tilingData);
}
