// The saturation modes of the control register: what becomes of results that do not fit.
#pragma once

#include "core.h"
#include "numerics.h"

namespace npu_emu {

// Half and bfloat16_t results: infinity becomes the largest number and NaN 0; sums and products of integers are
// clamped.
inline bool saturatesResults() { return (core->control >> 48 & 1) == 0; }

// Conversions to integers keep the low bits.
inline bool cutsIntegers() { return (core->control >> 59 & 1) != 0; }

inline void clampHalves(uint8_t* run, size_t n) {
  auto* bits = reinterpret_cast<uint16_t*>(run);
  for (size_t i = 0; i < n; ++i) {
    uint16_t magnitude = bits[i] & 0x7fff;
    if (magnitude > 0x7c00) bits[i] = 0;
    else if (magnitude == 0x7c00) bits[i] = static_cast<uint16_t>((bits[i] & 0x8000) | 0x7bff);
  }
}

inline void clampBfloats(uint8_t* run, size_t n) {
  auto* bits = reinterpret_cast<uint16_t*>(run);
  for (size_t i = 0; i < n; ++i) {
    uint16_t magnitude = bits[i] & 0x7fff;
    if (magnitude > 0x7f80) bits[i] = 0;
    else if (magnitude == 0x7f80) bits[i] = static_cast<uint16_t>((bits[i] & 0x8000) | 0x7f7f);
  }
}

// The integer rule of I, clamped to the type.
template <typename I>
struct Saturated {
  template <typename T>
  static T element(T a, T b) {
    int64_t wide = I::template element<int64_t>(a, b);
    constexpr int64_t low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
    return static_cast<T>(wide < low ? low : wide > high ? high : wide);
  }
};

template <typename I>
constexpr bool canSaturate =
    Types<isa::Add, isa::Sub, isa::Mul, isa::Adds, isa::Muls, isa::AddRelu, isa::SubRelu>::has<I>;

}  // namespace npu_emu
