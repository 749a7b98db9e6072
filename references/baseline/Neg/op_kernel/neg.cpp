// y = -x.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename C>
struct Negative {
  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    Muls(y, x, static_cast<C>(-1), static_cast<int32_t>(tile.count));
  }
};

// -(-128) is -128 in 8 bits: 128 is brought back before it is narrowed.
struct NegativeOfBytes {
  __aicore__ inline void Compute(const LocalTensor<half>& y, const LocalTensor<half>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<half> high = work.Slot<half>(0);
    Muls(y, x, static_cast<half>(-1), count);
    Adds(high, y, static_cast<half>(-127), count);
    Relu(high, high, count);
    Muls(high, high, static_cast<half>(-256), count);
    Add(y, y, high, count);
  }
};

template <typename T>
struct NegOperator {
  using Type = elementwise::Widened<T, 1, Negative<typename elementwise::ComputedAs<T>::Type>>;
};
template <>
struct NegOperator<int8_t> {
  using Type = elementwise::Widened<int8_t, 1, NegativeOfBytes, !elementwise::APART, half>;
};

extern "C" __global__ __aicore__ void neg(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  NegOperator<DTYPE_X>::Type op;
  elementwise::Run(op, x, y, tilingData);
}
