// y keeps the elements of x on and above a diagonal; all others are 0, whatever x holds there.
#include "kernel_operator.h"
#include "triu_narrow_rows.h"
#include "triu_wide_rows.h"

extern "C" __global__ __aicore__ void triu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    KernelTriuWideRows<DTYPE_X> op;
    op.Init(x, y, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    KernelTriuNarrowRows<DTYPE_X> op;
    op.Init(x, y, tilingData, &pipe);
    op.Process();
  }
}
