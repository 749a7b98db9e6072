// Rows of local memory, for the functions of the library that work on [m, k]: read as floats, written with one
// rounding.
#pragma once

#include <vector>

#include "library_work.h"
#include "numerics.h"

namespace npu_emu {

// Extents that come from a kernel: beyond this no operand fits, and below it no product of two overflows.
constexpr uint32_t extentLimit = 1u << 20;

inline void widen(float* out, const float* in, size_t n) { std::memmove(out, in, n * sizeof *in); }
inline void narrow(float* out, const float* in, size_t n) { std::memmove(out, in, n * sizeof *in); }

template <typename T>
inline void loadRow(float* out, Operand operand, size_t first, size_t n) {
  widen(out, reinterpret_cast<const T*>(operand.address) + first, n);
}
template <typename T>
inline void storeRow(Operand operand, size_t first, const float* values, size_t n) {
  narrow(reinterpret_cast<T*>(operand.address) + first, values, n);
}

// The sum as the library forms it: repeats are added lane by lane, then the lanes pairwise.
inline float sumOfRow(const float* values, size_t n, size_t lanes = 64) {
  float sums[64] = {};
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    for (size_t lane = 0; lane < lanes; ++lane) sums[lane] += values[i + lane];
  for (size_t lane = 0; i < n; ++i, ++lane) sums[lane] += values[i];
  for (; lanes > 1; lanes /= 2)
    for (size_t lane = 0; lane < lanes / 2; ++lane) sums[lane] = sums[2 * lane] + sums[2 * lane + 1];
  return sums[0];
}

// The sum as instructions that reduce one repeat each form it: of 64 elements pairwise, and of their sums again.
inline float sumOfRepeats(const float* values, size_t n) {
  constexpr size_t repeat = 64;
  if (n <= repeat) return sumOfRow(values, n);
  std::vector<float> sums((n + repeat - 1) / repeat);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = sumOfRow(values + i * repeat, std::min(repeat, n - i * repeat));
  return sumOfRepeats(sums.data(), sums.size());
}

}  // namespace npu_emu
