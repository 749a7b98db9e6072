// y[i] = x1[i] - alpha * x2[i] for lists of tensors; the product is rounded to float16 before the difference.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename Scalars>
struct SubtractProduct {
  using C = typename Scalars::Type;

  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x1, const LocalTensor<C>& x2,
                                 const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Muls(x2, x2, alpha.Of(tile), count);
    Sub(y, x1, x2, count);
  }

  Scalars alpha;
};

using C = typename elementwise::ComputedInSteps<DTYPE_X1>::Type;
using Formula = SubtractProduct<foreach::ScalarOfAll<DTYPE_X1, DTYPE_ALPHA, C>>;

extern "C" __global__ __aicore__ void foreach_sub_list(GM_ADDR x1, GM_ADDR x2, GM_ADDR alpha, GM_ADDR y,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X1, 2, Formula, !elementwise::APART, C> op;
  op.formula.alpha.Init(alpha);
  foreach::Run(op, x1, x2, y, tilingData);
}
