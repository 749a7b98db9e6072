// y = 1 where x is neither infinite nor NaN, else 0: where |x| < infinity.
#include "op_kernel/elementwise_boolean.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

template <typename T>
struct IsFiniteOperator {
  using X = T;
  using Y = uint8_t;
  static constexpr uint32_t INPUTS = 1;

  __aicore__ inline void Compute(const LocalTensor<uint8_t>& y, const LocalTensor<T>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> magnitude = work.Slot(0);
    if constexpr (IsSameType<T, float>::value) {
      Abs(magnitude, x, count);
    } else {
      Cast(magnitude, x, RoundMode::CAST_NONE, tile.count);
      Abs(magnitude, magnitude, count);
    }
    LocalTensor<uint8_t> bits = work.Slot<uint8_t>(1);
    CompareScalar(bits, magnitude, Infinity(), CMPMODE::LT, elementwise::WholeRepeats<float>(tile.count));
    elementwise::BytesOfBits(y, bits, work.Slot<half>(0), tile.count);
  }

 private:
  __aicore__ static inline float Infinity() {
    const uint32_t bits = 0x7f800000;
    return *reinterpret_cast<const float*>(&bits);
  }
};

extern "C" __global__ __aicore__ void is_finite(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  IsFiniteOperator<DTYPE_X> op;
  elementwise::Run(op, x, y, tilingData);
}
