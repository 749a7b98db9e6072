// Number formats and functions of the device, identical on every machine: nothing here calls libm, nothing contracts.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "../include/ascendc/isa.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace npu_emu {

template <typename To, typename From>
inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

// ---- loops over elements ------------------------------------------------------------------------------------------

// Operands coincide or do not touch, so that no element depends on another.
#if defined(__clang__)
#define NPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"  // table look-ups stay scalar
// clang vectorises conversions to and from half inside a loop; g++ 12 needs them as calls of their own.
constexpr bool convertsInLoops = true;
#else
#define NPU_INDEPENDENT _Pragma("GCC ivdep")
constexpr bool convertsInLoops = false;
#endif

// ---- whole runs of elements to and from the type that element rules compute in -------------------------------------
// Called for hundreds of elements at a time: never inlined, so that a hundred instructions do not carry a copy each.

[[gnu::noinline]] inline void widen(float* out, const half* in, size_t n) {
  size_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
  if (i + 4 <= n) {
    _mm_storeu_ps(out + i, _mm_cvtph_ps(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(in + i))));
    i += 4;
  }
#endif
  for (; i < n; ++i) out[i] = static_cast<float>(in[i]);
}

[[gnu::noinline]] inline void narrow(half* out, const float* in, size_t n) {
  size_t i = 0;
#if defined(__F16C__)
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  for (; i < n; ++i) out[i] = static_cast<half>(in[i]);
}

[[gnu::noinline]] inline void widen(float* out, const bfloat16_t* in, size_t n) {
  for (size_t i = 0; i < n; ++i) out[i] = bitCast<float>(static_cast<uint32_t>(in[i].npu_emu_bits) << 16);
}

[[gnu::noinline]] inline void narrow(bfloat16_t* out, const float* in, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    uint32_t wide = bitCast<uint32_t>(in[i]);
    uint32_t rounded = (wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16;
    bool isNan = (wide & 0x7fffffffu) > 0x7f800000u;
    out[i].npu_emu_bits = static_cast<uint16_t>(isNan ? (wide >> 16) | 0x40u : rounded);
  }
}

// A float that rounds on to half as `value` itself would: what is lost is kept as an odd last bit.
inline float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  double back = static_cast<double>(nearest);
  if (back == value || value != value) return nearest;
  uint32_t bits = bitCast<uint32_t>(nearest);
  if ((bits & 1u) != 0) return nearest;
  return bitCast<float>(std::fabs(back) < std::fabs(value) ? bits + 1u : bits - 1u);
}

// ---- functions -----------------------------------------------------------------------------------------------------

// e^x to within one rounding of the result: computed in double, series of degree 11 on |r| <= ln2 / 2.
inline float exponential(float x) {
  constexpr double log2e = 1.4426950408889634074, ln2 = 0.69314718055994530942, shifter = 6755399441055744.0;
  float clamped = x > 90.0f ? 90.0f : (x < -120.0f ? -120.0f : x);
  double wide = static_cast<double>(clamped == clamped ? clamped : 0.0f);
  double shifted = wide * log2e + shifter;
  double k = shifted - shifter;
  double r = wide - k * ln2;
  double p = 1.0 / 39916800;
  p = p * r + 1.0 / 3628800;
  p = p * r + 1.0 / 362880;
  p = p * r + 1.0 / 40320;
  p = p * r + 1.0 / 5040;
  p = p * r + 1.0 / 720;
  p = p * r + 1.0 / 120;
  p = p * r + 1.0 / 24;
  p = p * r + 1.0 / 6;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The integer k sits in the low bits of `shifted`; it moves into the exponent of a double.
  uint64_t power = (bitCast<uint64_t>(shifted) + 1023u) << 52;
  float result = static_cast<float>(p * bitCast<double>(power));
  return x == x ? result : x;
}

// ln x to within one rounding: x = m * 2^e with m in [sqrt(1/2), sqrt(2)), ln m = 2 atanh((m - 1) / (m + 1)).
inline float logarithm(float x) {
  constexpr double ln2 = 0.69314718055994530942;
  uint64_t bits = bitCast<uint64_t>(static_cast<double>(x));
  uint64_t shifted = bits - 0x3fe6a09e667f3bcdu;  // bits of sqrt(1/2)
  int64_t exponent = static_cast<int64_t>(shifted) >> 52;
  double m = bitCast<double>(bits - (static_cast<uint64_t>(exponent) << 52));
  double s = (m - 1) / (m + 1);
  double z = s * s;
  double p = 1.0 / 21;
  p = p * z + 1.0 / 19;
  p = p * z + 1.0 / 17;
  p = p * z + 1.0 / 15;
  p = p * z + 1.0 / 13;
  p = p * z + 1.0 / 11;
  p = p * z + 1.0 / 9;
  p = p * z + 1.0 / 7;
  p = p * z + 1.0 / 5;
  p = p * z + 1.0 / 3;
  p = p * z + 1.0;
  float result = static_cast<float>(2 * s * p + static_cast<double>(exponent) * ln2);
  constexpr float infinity = __builtin_inff();
  result = x == infinity ? infinity : result;
  result = x == 0 ? -infinity : result;
  result = x < 0 ? __builtin_nanf("") : result;
  return x == x ? result : x;
}

// The two table instructions; see isa.h for their accuracy.
inline float tableReciprocal(float x) {
  uint32_t bits = bitCast<uint32_t>(x), magnitude = bits & 0x7fffffffu;
  uint32_t sign = bits & 0x80000000u;
  if (magnitude > 0x7f800000u) return x;
  if (magnitude == 0x7f800000u) return bitCast<float>(sign);
  if (magnitude == 0) return bitCast<float>(sign | 0x7f800000u);
  int exponent;
  double fraction =
      std::frexp(static_cast<double>(bitCast<float>(magnitude)), &exponent) * 2 - 1;  // x = (1 + f) 2^(e-1)
  double index = std::floor(fraction * 256);
  double y = std::nearbyint(512 / (1 + (index + 0.5) / 256)) / 512;
  double value = std::ldexp(y, 1 - exponent);
  return static_cast<float>(sign != 0 ? -value : value);
}

inline float tableReciprocalRoot(float x) {
  if (x != x) return x;
  if (x == 0) return bitCast<float>((bitCast<uint32_t>(x) & 0x80000000u) | 0x7f800000u);
  if (x < 0) return __builtin_nanf("");
  if (x == __builtin_inff()) return 0;
  int exponent;
  double fraction = std::frexp(static_cast<double>(x), &exponent) * 2 - 1;
  --exponent;
  double m = 1 + (std::floor(fraction * 128) + 0.5) / 128;
  if (exponent & 1) {
    m *= 2;
    --exponent;
  }
  double y = std::nearbyint(512 / std::sqrt(m)) / 512;
  return static_cast<float>(std::ldexp(y, -exponent / 2));
}

// ---- rounding ------------------------------------------------------------------------------------------------------

// x to an integer value. `Odd` truncates and then sets the last bit when anything was lost.
template <AscendC::RoundMode mode, typename F>
inline F roundToInteger(F x) {
  using Mode = AscendC::RoundMode;
  if constexpr (mode == Mode::CAST_FLOOR) {
    return std::floor(x);
  } else if constexpr (mode == Mode::CAST_CEIL) {
    return std::ceil(x);
  } else if constexpr (mode == Mode::CAST_TRUNC) {
    return std::trunc(x);
  } else if constexpr (mode == Mode::CAST_ROUND) {
    F whole = std::trunc(x);
    F rest = std::fabs(x - whole);
    return rest >= F(0.5) ? whole + std::copysign(F(1), x) : whole;
  } else if constexpr (mode == Mode::CAST_ODD) {
    F whole = std::trunc(x);
    bool even = whole == 2 * std::trunc(whole / 2);
    return whole != x && even ? whole + std::copysign(F(1), x) : whole;
  } else {
    return std::nearbyint(x);
  }
}

// A whole number to an integer type, the nearest one where it does not fit; NaN gives 0. The largest float below 2^31 stands
// in where an int32_t cannot hold the value, so that the conversion itself is always defined.
template <typename D>
inline D saturateWhole(float value) {
  static_assert(sizeof(D) < 4 || std::is_same_v<D, int32_t>);
  constexpr float low = static_cast<float>(std::numeric_limits<D>::min());
  constexpr float high = sizeof(D) == 4 ? 2147483520.0f : static_cast<float>(std::numeric_limits<D>::max());
  float known = value == value ? value : 0.0f;
  float clamped = known < low ? low : known > high ? high : known;
  auto whole = static_cast<int32_t>(clamped);
  if constexpr (sizeof(D) == 4) return known > high ? std::numeric_limits<D>::max() : whole;
  else return static_cast<D>(whole);
}

// x to a binary format with `mantissa` explicit bits and the given smallest normal exponent, in any round mode.
template <AscendC::RoundMode mode>
inline float roundToFormat(float x, int mantissa, int smallest, float largest) {
  if (x != x || x == 0 || std::isinf(x)) return x;
  int exponent = std::ilogb(x);
  double quantum = std::ldexp(1.0, (exponent < smallest ? smallest : exponent) - mantissa);
  double y = roundToInteger<mode>(static_cast<double>(x) / quantum) * quantum;
  if (std::fabs(y) > static_cast<double>(largest)) {
    using Mode = AscendC::RoundMode;
    bool towardZero = mode == Mode::CAST_TRUNC || mode == Mode::CAST_ODD || (mode == Mode::CAST_FLOOR && y > 0) ||
                      (mode == Mode::CAST_CEIL && y < 0);
    return std::copysign(towardZero ? largest : __builtin_inff(), x);
  }
  return static_cast<float>(y);
}

}  // namespace npu_emu
