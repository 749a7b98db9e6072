// y = 1 / (1 + e^-x), in float32, rounded once.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Formula {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> ones = work.Slot(0);
    Muls(y, x, -1.0f, count);
    Exp(y, y, count);
    Adds(y, y, 1.0f, count);
    Duplicate(ones, 1.0f, count);
    Div(y, ones, y, count);
  }
};

extern "C" __global__ __aicore__ void vendor_sigmoid(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Formula> op;
  elementwise::Run(op, x, y, tilingData);
}
