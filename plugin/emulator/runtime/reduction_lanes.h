// What reductions do to the lanes of a repeat. Sums are binary trees over adjacent lanes, rounded at every step in the
// element type.
#pragma once

#include "device.h"
#include "numerics.h"
#include "walk.h"

namespace npu_emu::reduction {

using vec::Reduction;

template <typename T>
float rounded(float value) {
  return static_cast<float>(static_cast<T>(value));
}

// Sums in place; lanes that take no part hold -0, which changes no sum. Returns the total.
template <typename T>
float sumTree(float* lanes, size_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; ++i) lanes[i] = rounded<T>(lanes[2 * i] + lanes[2 * i + 1]);
    if (n % 2 != 0) lanes[pairs] = lanes[n - 1];
  }
  return lanes[0];
}

// The first levels of the tree over whole groups of `group` lanes, a power of two: out[i] is the sum of group i. Levels
// go from one buffer to the other, so that compilers see that none changes what it reads; the result is in one of them.
template <typename T, uint32_t lanes>
const float* sumGroups(float (&values)[128], float (&other)[128], uint32_t group) {
  float *from = values, *to = other;
  for (uint32_t n = lanes / 2; group > 1; group /= 2, n /= 2) {
    const float* __restrict in = from;
    float* __restrict out = to;
    for (uint32_t i = 0; i < n; ++i) out[i] = in[2 * i] + in[2 * i + 1];
    if constexpr (sizeof(T) == 2) {
      T rounded[lanes / 2];
      narrow(rounded, out, n);
      widen(out, rounded, n);
    }
    std::swap(from, to);
  }
  return from;
}

struct Extreme {
  float value;
  uint32_t index;
};

// The lowest index wins ties, NaN wins over numbers.
inline bool beats(Reduction kind, float challenger, float holder) {
  if (holder != holder) return false;
  if (challenger != challenger) return true;
  return kind == Reduction::Max ? challenger > holder : challenger < holder;
}

// The extreme of n values and whether one of them is NaN. Which of +0 and -0 it is says nothing: the first of equals
// counts.
template <bool max>
float extremeValue(const float* values, uint32_t n, bool& hasNan) {
  constexpr uint32_t width = 16;
  float best[width];
  uint32_t nans = 0, i = 0;
  for (float& value : best) value = values[0];
  for (; i + width <= n; i += width) {
    for (uint32_t j = 0; j < width; ++j) {
      float value = values[i + j];
      best[j] = (max ? value > best[j] : value < best[j]) ? value : best[j];
      nans += value != value ? 1 : 0;
    }
  }
  for (; i < n; ++i) {
    best[0] = (max ? values[i] > best[0] : values[i] < best[0]) ? values[i] : best[0];
    nans += values[i] != values[i] ? 1 : 0;
  }
  for (uint32_t j = 1; j < width; ++j) best[0] = (max ? best[j] > best[0] : best[j] < best[0]) ? best[j] : best[0];
  hasNan = nans != 0;
  return best[0];
}

// The first of the values that none beats.
inline Extreme extremeIn(Reduction kind, const float* values, uint32_t n) {
  bool hasNan = false;
  float best = kind == Reduction::Max ? extremeValue<true>(values, n, hasNan) : extremeValue<false>(values, n, hasNan);
  uint32_t index = 0;
  while (hasNan ? values[index] == values[index] : values[index] != best) ++index;
  return {values[index], index};
}

template <typename T>
void storeIndex(T* out, uint32_t index) {
  if constexpr (sizeof(T) == 2) *out = bitCast<T>(static_cast<uint16_t>(index));
  else *out = bitCast<T>(index);
}

template <typename T>
uint64_t bitsOf(float value) {
  if constexpr (sizeof(T) == 2) return bitCast<uint16_t>(static_cast<T>(value));
  else return bitCast<uint32_t>(value);
}

template <typename T>
void keepExtreme(const Extreme& best) {
  leave(core->registers.extreme, bitsOf<T>(best.value) | uint64_t(best.index) << 32);
  markSet(Register::Extreme);
}

template <typename T>
constexpr uint32_t lanesOf = repeatBytes / sizeof(T);

template <typename T>
void load(float* out, const T* in, size_t n) {
  if constexpr (sizeof(T) == 2) widen(out, in, n);
  else std::memcpy(out, in, n * sizeof(float));
}

// Loads the active lanes of one repeat; inactive ones become `filler`.
template <typename T>
void loadRepeat(float* out, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeat, float filler) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  const uint8_t* first = src.address + size_t(repeat) * walk.repeatStride[1] * blockBytes;
  uint64_t all[2];
  maskOfLanes(lanesOf<T>, all);
  if (walk.blockStride[1] == 1 && mask[0] == all[0] && mask[1] == all[1])
    return load(out, reinterpret_cast<const T*>(first), lanesOf<T>);
  for (uint32_t block = 0; block < blocksPerRepeat; ++block) {
    uint32_t lane = block * perBlock;
    const T* in = reinterpret_cast<const T*>(first + size_t(block) * walk.blockStride[1] * blockBytes);
    constexpr uint64_t whole = (uint64_t(1) << perBlock) - 1;
    uint64_t active = mask[lane / 64] >> (lane % 64) & whole;
    if (active == whole) {
      load(out + lane, in, perBlock);
      continue;
    }
    for (uint32_t i = 0; i < perBlock; ++i) out[lane + i] = active >> i & 1 ? static_cast<float>(in[i]) : filler;
  }
}

// Resolves the lanes of a repeat-wise reduction; the destination has a layout of its own.
template <typename T>
Lanes resolveReduction(const Walk& walk) {
  constexpr uint32_t width = sizeof(T);
  uint32_t widths[] = {width};
  Walk source = walk;
  source.blockStride[0] = walk.blockStride[1];
  source.repeatStride[0] = walk.repeatStride[1];
  Lanes lanes = resolve(source, width, widths, 1);
  if (lanes.contiguous) {
    lanes.contiguous = false;
    lanes.repeats = static_cast<uint32_t>((lanes.total + lanesOf<T> - 1) / lanesOf<T>);
    if (lanes.lastMask[0] == 0) maskOfLanes(lanesOf<T>, lanes.lastMask);
    maskOfLanes(lanesOf<T>, lanes.mask);
  }
  return lanes;
}

template <typename T>
Extreme extremeOf(Reduction kind, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeat) {
  float values[128];
  loadRepeat<T>(values, src, walk, mask, repeat, 0);
  uint64_t whole[2];
  maskOfLanes(lanesOf<T>, whole);
  if (mask[0] == whole[0] && mask[1] == whole[1]) return extremeIn(kind, values, lanesOf<T>);
  // the others move together, so that neither their filler nor their place counts
  uint32_t lanes[128], n = 0;
  for (uint32_t lane = 0; lane < lanesOf<T>; ++lane) {
    if ((mask[lane / 64] >> (lane % 64) & 1) == 0) continue;
    values[n] = values[lane];
    lanes[n++] = lane;
  }
  if (n == 0) return {0, 0};
  Extreme best = extremeIn(kind, values, n);
  return {best.value, lanes[best.index]};
}

inline const char* nameOf(Reduction kind, const char* sum, const char* max, const char* min) {
  return kind == Reduction::Sum ? sum : kind == Reduction::Max ? max : min;
}

}  // namespace npu_emu::reduction
