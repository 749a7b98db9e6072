// y = x1 <= x2, one byte an element.
#include "op_kernel/elementwise_boolean.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

template <typename T>
struct LessEqualOperator {
  using Type = elementwise::Comparison<T, CMPMODE::LE>;
};
template <>
struct LessEqualOperator<int32_t> {
  using Type = elementwise::IntegerComparison<true>;
};

extern "C" __global__ __aicore__ void less_equal(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  LessEqualOperator<DTYPE_X1>::Type op;
  elementwise::Run(op, x1, x2, y, tilingData);
}
