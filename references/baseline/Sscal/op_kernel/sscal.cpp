// x = alpha * x, for all of x: n and incx are taken and have no effect, as in the reference.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Scale {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Muls(y, x, alpha, count);
  }

  float alpha;
};

extern "C" __global__ __aicore__ void sscal(GM_ADDR x, GM_ADDR xOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<float, 1, Scale> op;
  op.formula.alpha = tilingData.scalar;
  elementwise::Run(op, x, xOut, tilingData);
}
