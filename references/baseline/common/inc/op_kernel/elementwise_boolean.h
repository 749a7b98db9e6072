// Results of one byte: the bits of a comparison become zeros and ones.
#pragma once

#include "op_kernel/elementwise.h"

namespace elementwise {
// Comparisons take whole repeats: lanes past `count` compare what the buffers happen to hold and are never stored.
template <typename C>
__aicore__ inline uint32_t WholeRepeats(uint32_t count) {
  constexpr uint32_t lanes = 256 / sizeof(C);
  return (count + lanes - 1) / lanes * lanes;
}

// y = 1 where the bit is set, else 0; the reverse where bits are INVERTED. `slot` is any memory of two bytes an element.
template <bool INVERTED = false>
__aicore__ inline void BytesOfBits(const LocalTensor<uint8_t>& y, const LocalTensor<uint8_t>& bits,
                                   const LocalTensor<half>& slot, uint32_t count) {
  Duplicate(slot, static_cast<half>(INVERTED ? 0.0 : 1.0), static_cast<int32_t>(count));
  Select(slot, bits, slot, static_cast<half>(INVERTED ? 1.0 : 0.0), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
  Cast(y, slot, RoundMode::CAST_NONE, count);
}

// The type in which elements are compared with Compare, exactly.
template <typename T>
struct ComparedAs {
  using Type = T;
};
template <>
struct ComparedAs<bfloat16_t> {
  using Type = float;
};
template <>
struct ComparedAs<int8_t> {
  using Type = half;
};
template <>
struct ComparedAs<uint8_t> {
  using Type = half;
};

// y = x0 MODE x1 for floating-point numbers and integers of 8 bits. Slots: bits, bytes, and two for what is converted.
template <typename T, CMPMODE MODE>
class Comparison {
  using C = typename ComparedAs<T>::Type;

 public:
  using X = T;
  using Y = uint8_t;
  static constexpr uint32_t INPUTS = 2;

  __aicore__ inline void Compute(const LocalTensor<uint8_t>& y, const LocalTensor<T>& x0, const LocalTensor<T>& x1,
                                 const Work& work, const Tile& tile) {
    LocalTensor<uint8_t> bits = work.template Slot<uint8_t>(0);
    if constexpr (IsSameType<T, C>::value) {
      Compare(bits, x0, x1, MODE, WholeRepeats<C>(tile.count));
    } else {
      LocalTensor<C> c0 = work.template Slot<C>(2);
      LocalTensor<C> c1 = work.template Slot<C>(3);
      Cast(c0, x0, RoundMode::CAST_NONE, tile.count);
      Cast(c1, x1, RoundMode::CAST_NONE, tile.count);
      Compare(bits, c0, c1, MODE, WholeRepeats<C>(tile.count));
    }
    BytesOfBits(y, bits, work.template Slot<half>(1), tile.count);
  }
};

// y = x0 < x1, or x0 <= x1, for int32, which the device compares for equality only: x0 <= x1 where x1 is the larger one.
// Slots: bits, the larger one.
template <bool OR_EQUAL>
class IntegerComparison {
 public:
  using X = int32_t;
  using Y = uint8_t;
  static constexpr uint32_t INPUTS = 2;

  __aicore__ inline void Compute(const LocalTensor<uint8_t>& y, const LocalTensor<int32_t>& x0,
                                 const LocalTensor<int32_t>& x1, const Work& work, const Tile& tile) {
    LocalTensor<uint8_t> bits = work.template Slot<uint8_t>(0);
    LocalTensor<int32_t> larger = work.template Slot<int32_t>(1);
    Max(larger, x0, x1, static_cast<int32_t>(tile.count));
    Compare(bits, larger, OR_EQUAL ? x1 : x0, CMPMODE::EQ, WholeRepeats<int32_t>(tile.count));
    BytesOfBits<!OR_EQUAL>(y, bits, work.template Slot<half>(1), tile.count);
  }
};
}  // namespace elementwise
