// y = x1 < x2, one byte an element.
#include "op_kernel/elementwise_boolean.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

// 64 bits as two words of 32: the high ones decide, where these are equal the low ones, which have no sign.
class LongComparison {
 public:
  using X = int64_t;
  using Y = uint8_t;
  static constexpr uint32_t INPUTS = 2;

  __aicore__ inline void Compute(const LocalTensor<uint8_t>& y, const LocalTensor<int64_t>& x1,
                                 const LocalTensor<int64_t>& x2, const Work& work, const Tile& tile) {
    LocalTensor<int32_t> high1 = Words(x1, work.Slot<int32_t>(0), HIGH, tile.count);
    LocalTensor<int32_t> high2 = Words(x2, work.Slot<int32_t>(1), HIGH, tile.count);
    LocalTensor<int32_t> low1 = Words(x1, work.Slot<int32_t>(2), LOW, tile.count);
    LocalTensor<int32_t> low2 = Words(x2, work.Slot<int32_t>(3), LOW, tile.count);
    const int32_t count = static_cast<int32_t>(tile.count);
    const uint32_t compared = elementwise::WholeRepeats<int32_t>(tile.count);
    Adds(low1, low1, LEAST, count);
    Adds(low2, low2, LEAST, count);

    LocalTensor<uint8_t> equal = work.Slot<uint8_t>(5);
    LocalTensor<uint8_t> highNotLess = work.Slot<uint8_t>(6);
    LocalTensor<uint8_t> lowNotLess = work.Slot<uint8_t>(7);
    LocalTensor<int32_t> larger = work.Slot<int32_t>(4);
    Compare(equal, high1, high2, CMPMODE::EQ, compared);
    Max(larger, high1, high2, count);
    Compare(highNotLess, larger, high1, CMPMODE::EQ, compared);
    Max(larger, low1, low2, count);
    Compare(lowNotLess, larger, low1, CMPMODE::EQ, compared);

    // not less: equal ? lowNotLess : highNotLess
    const int32_t bitWords = static_cast<int32_t>(compared / 16);
    LocalTensor<uint16_t> sameHigh = equal.ReinterpretCast<uint16_t>();
    LocalTensor<uint16_t> byHigh = highNotLess.ReinterpretCast<uint16_t>();
    LocalTensor<uint16_t> byLow = lowNotLess.ReinterpretCast<uint16_t>();
    And(byLow, byLow, sameHigh, bitWords);
    Not(sameHigh, sameHigh, bitWords);
    And(byHigh, byHigh, sameHigh, bitWords);
    Or(byHigh, byHigh, byLow, bitWords);
    elementwise::BytesOfBits<true>(y, highNotLess, work.Slot<half>(4), tile.count);
  }

 private:
  static constexpr uint8_t LOW = 1;   // pattern of GatherMask: words 0, 2, 4, …
  static constexpr uint8_t HIGH = 2;  // words 1, 3, 5, …
  static constexpr int32_t LEAST = -2147483647 - 1;

  __aicore__ static inline LocalTensor<int32_t> Words(const LocalTensor<int64_t>& x, const LocalTensor<int32_t>& words,
                                                      uint8_t pattern, uint32_t count) {
    uint64_t kept = 0;
    GatherMask(words, x.ReinterpretCast<int32_t>(), pattern, true, 2 * count, {1, 1, 8, 0}, kept);
    return words;
  }
};

template <typename T>
struct LessOperator {
  using Type = elementwise::Comparison<T, CMPMODE::LT>;
};
template <>
struct LessOperator<int32_t> {
  using Type = elementwise::IntegerComparison<false>;
};
template <>
struct LessOperator<int64_t> {
  using Type = LongComparison;
};

extern "C" __global__ __aicore__ void less(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  LessOperator<DTYPE_X1>::Type op;
  elementwise::Run(op, x1, x2, y, tilingData);
}
