// x[i] = 0 for a list of tensors. Nothing is read: a product with zero would keep NaN.
#include "op_kernel/elementwise_move.h"
#include "op_kernel/foreach.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void foreach_zero_inplace(GM_ADDR x, GM_ADDR xOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  using Bits = elementwise::Bits<sizeof(DTYPE_X)>::Type;
  TPipe pipe;
  foreach::Walk walk(tilingData);
  elementwise::Spread<Bits, foreach::Walk> spread(walk);
  spread.Init(xOut, tilingData, &pipe);
  Duplicate(spread.Pattern(), static_cast<Bits>(0), static_cast<int32_t>(tilingData.tileLength));
  spread.Process();
}
