// y = input_data + value * (x1 * x2). float16 rounds every step, as the reference does.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

using C = typename elementwise::ComputedInSteps<DTYPE_INPUT_DATA>::Type;

struct AddProduct {
  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& input, const LocalTensor<C>& x1,
                                 const LocalTensor<C>& x2, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Mul(x1, x1, x2, count);
    Muls(x1, x1, value.Value(), count);
    Add(y, input, x1, count);
  }

  elementwise::ScalarOperand<DTYPE_INPUT_DATA, DTYPE_VALUE, C> value;
};

extern "C" __global__ __aicore__ void addcmul(GM_ADDR inputData, GM_ADDR x1, GM_ADDR x2, GM_ADDR value, GM_ADDR y,
                                              GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  elementwise::Widened<DTYPE_INPUT_DATA, 3, AddProduct, !elementwise::APART, C> op;
  op.formula.value.Init(value);
  elementwise::Run(op, inputData, x1, x2, y, tilingData);
}
