// y[i] = x[i], bit by bit, for a list of tensors.
#include "op_kernel/elementwise_move.h"
#include "op_kernel/foreach.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void foreach_copy(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  foreach::Walk walk(tilingData);
  elementwise::Move<elementwise::Bits<sizeof(DTYPE_X)>::Type, foreach::Walk> move(walk);
  move.Init(x, y, tilingData, &pipe);
  move.Process();
}
