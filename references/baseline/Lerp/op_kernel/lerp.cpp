// y = start + weight * (end - start), computed in float32 and rounded once.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Interpolate {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& start,
                                 const LocalTensor<float>& end, const LocalTensor<float>& weight, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Sub(end, end, start, count);
    Mul(end, end, weight, count);
    Add(y, start, end, count);
  }
};

extern "C" __global__ __aicore__ void lerp(GM_ADDR start, GM_ADDR end, GM_ADDR weight, GM_ADDR y, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_START, 3, Interpolate> op;
  elementwise::Run(op, start, end, weight, y, tilingData);
}
