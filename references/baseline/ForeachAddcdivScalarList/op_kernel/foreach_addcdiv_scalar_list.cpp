// y[i] = x1[i] + scalars[i] * (x2[i] / x3[i]) for lists of tensors. float16 rounds every step, as the reference does.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename Scalars>
struct AddQuotient {
  using C = typename Scalars::Type;

  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x1, const LocalTensor<C>& x2,
                                 const LocalTensor<C>& x3, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Div(x2, x2, x3, count);
    Muls(x2, x2, scalars.Of(tile), count);
    Add(y, x1, x2, count);
  }

  Scalars scalars;
};

using C = typename elementwise::ComputedInSteps<DTYPE_X1>::Type;
using Formula = AddQuotient<foreach::ScalarOfEach<DTYPE_X1, DTYPE_SCALARS, C>>;

extern "C" __global__ __aicore__ void foreach_addcdiv_scalar_list(GM_ADDR x1, GM_ADDR x2, GM_ADDR x3, GM_ADDR scalars,
                                                                  GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X1, 3, Formula, !elementwise::APART, C> op;
  op.formula.scalars.Init(scalars);
  foreach::Run(op, x1, x2, x3, y, tilingData);
}
