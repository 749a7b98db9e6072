// y[i] = -1, 0 or 1 as x[i] is negative, zero or positive, for a list of tensors.
#include "op_kernel/foreach.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct SignOf {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    Sign(y, x, work.Rest(0), tile.count);
  }
};

// Whole numbers are brought between -1 and 1; those of 64 bits as float32, which keeps the sign.
template <typename C>
struct Clamp {
  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    Mins(y, x, static_cast<C>(1), count);
    Maxs(y, y, static_cast<C>(-1), count);
  }
};

template <typename T>
struct SignOperator {
  using Type = elementwise::Widened<T, 1, SignOf, elementwise::APART>;
};
template <>
struct SignOperator<int8_t> {
  using Type = elementwise::Widened<int8_t, 1, Clamp<half>, !elementwise::APART, half>;
};
template <>
struct SignOperator<int32_t> {
  using Type = elementwise::Widened<int32_t, 1, Clamp<int32_t>>;
};
template <>
struct SignOperator<int64_t> {
  using Type = elementwise::Widened<int64_t, 1, Clamp<float>, !elementwise::APART, float>;
};

extern "C" __global__ __aicore__ void foreach_sign(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  SignOperator<DTYPE_X>::Type op;
  foreach::Run(op, x, y, tilingData);
}
