// y = x / (1 + e^-|u|) * e^min(u, 0), u = 1.5958 (x + 0.044715 x^3): GELU as the vendor's compiler computes it, with no power of e
// above 1, in float32, rounded once.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Formula {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> u = work.Slot(0);
    LocalTensor<float> power = work.Slot(1);
    Mul(u, x, x, count);
    Mul(u, u, x, count);
    Muls(u, u, 0.044715f, count);
    Add(u, u, x, count);
    Muls(u, u, 1.5957691f, count);
    Mins(power, u, 0.0f, count);
    Exp(power, power, count);
    Abs(u, u, count);
    Muls(u, u, -1.0f, count);
    Exp(u, u, count);
    Adds(u, u, 1.0f, count);
    Div(u, x, u, count);
    Mul(y, u, power, count);
  }
};

extern "C" __global__ __aicore__ void vendor_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_X, 1, Formula> op;
  elementwise::Run(op, x, y, tilingData);
}
