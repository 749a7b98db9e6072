// y[i] = x1[i] / x2[i] for lists of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename C>
struct Divide {
  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x1, const LocalTensor<C>& x2,
                                 const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Div(y, x1, x2, count);
  }
};

extern "C" __global__ __aicore__ void foreach_div_list(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace,
                                                       GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X1, 2, Divide<typename elementwise::ComputedAs<DTYPE_X1>::Type>> op;
  foreach::Run(op, x1, x2, y, tilingData);
}
