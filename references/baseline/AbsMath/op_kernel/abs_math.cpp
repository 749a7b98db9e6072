// y = |x|. The smallest integer stays what it is; a complex number becomes its modulus, with imaginary part 0.
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

struct Magnitude {
  __aicore__ inline void Compute(const LocalTensor<float>& y, const LocalTensor<float>& x, const Work& work,
                                 const Tile& tile) {
    Abs(y, x, static_cast<int32_t>(tile.count));
  }
};

struct IntegerMagnitude {
  __aicore__ inline void Compute(const LocalTensor<int32_t>& y, const LocalTensor<int32_t>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<int32_t> negative = work.Slot<int32_t>(0);
    Muls(negative, x, -1, count);
    Max(y, x, negative, count);
  }
};

// Two words of 32 bits a number, which stay side by side: every word is multiplied by the sign of its number, and a
// high word loses what its low word borrows. The words of a tile take two slots.
struct LongMagnitude {
  __aicore__ inline void Compute(const LocalTensor<int64_t>& y, const LocalTensor<int64_t>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t words = static_cast<int32_t>(2 * tile.count);
    LocalTensor<int32_t> word = x.ReinterpretCast<int32_t>();
    LocalTensor<int32_t> result = y.ReinterpretCast<int32_t>();
    LocalTensor<int32_t> odd = work.Slot<int32_t>(0);  // 0 at low words, 1 at high words
    LocalTensor<int32_t> place = work.Slot<int32_t>(2);
    LocalTensor<int32_t> sign = work.Slot<int32_t>(4);
    LocalTensor<int32_t> borrow = work.Slot<int32_t>(6);
    LocalTensor<int32_t> other = work.Slot<int32_t>(8);

    CreateVecIndex(place, 0, static_cast<uint32_t>(words));
    ShiftRight(odd, place, 1, words);
    ShiftLeft(odd, odd, 1, words);  // the place of the low word
    ShiftLeft(borrow, odd, 2, words);
    Gather(other, word, borrow.ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(words));
    Sub(odd, place, odd, words);
    Adds(borrow, borrow, 4, words);
    Gather(sign, word, borrow.ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(words));
    ShiftRight(sign, sign, 31, words);  // -1 below zero, else 0

    // -1 where the low word is not zero
    Muls(borrow, other, -1, words);
    LocalTensor<int16_t> halves = borrow.ReinterpretCast<int16_t>();
    Or(halves, halves, other.ReinterpretCast<int16_t>(), 2 * words);
    ShiftRight(borrow, borrow, 31, words);
    Mul(borrow, borrow, odd, words);
    Mul(borrow, borrow, sign, words);  // 1 where a negative number borrows from its high word

    Muls(sign, sign, 2, words);
    Adds(sign, sign, 1, words);
    Mul(result, word, sign, words);
    Sub(result, result, borrow, words);
  }
};

// The modulus by squares: real and imaginary parts apart, put together with zeros.
struct ComplexMagnitude {
  __aicore__ inline void Compute(const LocalTensor<int64_t>& y, const LocalTensor<int64_t>& x, const Work& work,
                                 const Tile& tile) {
    const int32_t count = static_cast<int32_t>(tile.count);
    LocalTensor<float> part = x.ReinterpretCast<float>();
    LocalTensor<float> real = work.Slot(0);
    LocalTensor<float> imaginary = work.Slot(1);
    LocalTensor<int32_t> place = work.Slot<int32_t>(2);
    uint64_t kept = 0;
    GatherMask(real, part, EVEN, true, 2 * tile.count, {1, 1, 8, 0}, kept);
    GatherMask(imaginary, part, ODD, true, 2 * tile.count, {1, 1, 8, 0}, kept);
    Mul(real, real, real, count);
    Mul(imaginary, imaginary, imaginary, count);
    Add(real, real, imaginary, count);
    Sqrt(real, real, count);

    // part 2 i of the result is modulus i; what the odd parts take is replaced by zeros
    CreateVecIndex(place, 0, 2 * tile.count);
    ShiftRight(place, place, 1, 2 * count);
    ShiftLeft(place, place, 2, 2 * count);
    LocalTensor<float> result = y.ReinterpretCast<float>();
    Gather(result, real, place.ReinterpretCast<uint32_t>(), 0, 2 * tile.count);
    uint64_t oddParts[2] = {0xaaaaaaaaaaaaaaaa, 0};
    uint32_t repeats = (2 * tile.count + PARTS_PER_REPEAT - 1) / PARTS_PER_REPEAT;
    for (uint32_t first = 0; repeats > 0;) {
      const uint32_t now = repeats < MAX_REPEATS ? repeats : MAX_REPEATS;
      Duplicate(result[first], 0.0f, oddParts, static_cast<uint8_t>(now), 1, 8);
      first += now * PARTS_PER_REPEAT;
      repeats -= now;
    }
  }

 private:
  static constexpr uint8_t EVEN = 1;
  static constexpr uint8_t ODD = 2;
  static constexpr uint32_t PARTS_PER_REPEAT = 64;
  static constexpr uint32_t MAX_REPEATS = 255;
};

#if ORIG_DTYPE_X == DT_COMPLEX64
using Operator = elementwise::Widened<int64_t, 1, ComplexMagnitude>;
#elif ORIG_DTYPE_X == DT_INT64
using Operator = elementwise::Widened<int64_t, 1, LongMagnitude>;
#elif ORIG_DTYPE_X == DT_INT32
using Operator = elementwise::Widened<int32_t, 1, IntegerMagnitude>;
#else
using Operator = elementwise::Widened<DTYPE_X, 1, Magnitude>;
#endif

extern "C" __global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  Operator op;
  elementwise::Run(op, x, y, tilingData);
}
