// y[i] = tanh(x[i]) for a list of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct HyperbolicTangent {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    Tanh(y, x, work.Rest(0), tile.count);
  }
};

extern "C" __global__ __aicore__ void foreach_tanh(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, HyperbolicTangent, elementwise::APART> op;
  foreach::Run(op, x, y, tilingData);
}
