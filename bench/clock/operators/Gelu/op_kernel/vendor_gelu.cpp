// y = x / (1 + e^(-1.5958 (x + 0.044715 x^3))): GELU as the vendor computes it, in float32, rounded once.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Formula {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> power = work.Slot(0);
    Mul(power, x, x, count);
    Mul(power, power, x, count);
    Muls(power, power, 0.044715f, count);
    Add(power, power, x, count);
    Muls(power, power, -1.5957691f, count);
    Exp(power, power, count);
    Adds(power, power, 1.0f, count);
    Div(y, x, power, count);
  }
};

extern "C" __global__ __aicore__ void vendor_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Formula> op;
  elementwise::Run(op, x, y, tilingData);
}
