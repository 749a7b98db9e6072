// y = x * value. 16-bit floats are computed in float32, integers by the whole number that value is; a complex number is
// two floats. The vector unit has no 64-bit product: int64 is left to the scalar unit.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename C>
struct MultiplyByValue {
  __aicore__ inline void Compute(const LocalTensor<C>& y, const LocalTensor<C>& x, const Work& work, const Tile& tile) {
    Muls(y, x, static_cast<C>(value), static_cast<int32_t>(tile.count));
  }

  float value;
};

struct MultiplyLong {
  __aicore__ inline void Compute(const LocalTensor<int64_t>& y, const LocalTensor<int64_t>& x, const Work& work,
                                 const Tile& tile) {
    const int64_t factor = static_cast<int64_t>(value);
    for (uint32_t i = 0; i < tile.count; ++i) {
      y.SetValue(i, x.GetValue(i) * factor);
    }
  }

  float value;
};

struct MultiplyComplex {
  __aicore__ inline void Compute(const LocalTensor<int64_t>& y, const LocalTensor<int64_t>& x, const Work& work,
                                 const Tile& tile) {
    Muls(y.ReinterpretCast<float>(), x.ReinterpretCast<float>(), value, static_cast<int32_t>(2 * tile.count));
  }

  float value;
};

#if ORIG_DTYPE_X == DT_COMPLEX64
using Operator = elementwise::Widened<int64_t, 1, MultiplyComplex>;
#elif ORIG_DTYPE_X == DT_INT64
using Operator = elementwise::Widened<int64_t, 1, MultiplyLong>;
#else
using Operator = elementwise::Widened<DTYPE_X, 1, MultiplyByValue<elementwise::ComputedAs<DTYPE_X>::Type> >;
#endif

extern "C" __global__ __aicore__ void muls(GM_ADDR x, GM_ADDR value, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  Operator op;
  op.formula.value = elementwise::ReadScalar<float, float>(value);
  elementwise::Run(op, x, y, tilingData);
}
