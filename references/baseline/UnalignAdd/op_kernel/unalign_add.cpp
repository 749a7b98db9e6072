// z = x + y in float16, for tensors of any length.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct AddOperands {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x0,
                                 const LocalTensor<float>& x1, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Add(y, x0, x1, count);
  }
};

extern "C" __global__ __aicore__ void unalign_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<half, 2, AddOperands> op;
  elementwise::Run(op, x, y, z, tilingData);
}
