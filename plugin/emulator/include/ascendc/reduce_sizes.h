// Bytes of temporary memory that broadcasts, reductions and running sums of the library take: one source for the kernel
// and for the helpers of the host.
#pragma once

#include <cstdint>

namespace npu_emu::sizes {

constexpr uint32_t block = 32, repeat = 256;

constexpr uint32_t roundUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

// The largest power of two that is not above n; 1 for 0.
constexpr uint32_t powerBelow(uint32_t n) { return n < 2 ? 1 : 1u << (31 - __builtin_clz(n)); }

struct Range {
  uint32_t most, least;
};

struct Broadcast {
  uint32_t dims;
  uint32_t src[2], dst[2];
};

constexpr Range broadcast(const Broadcast& shape, uint32_t typeBytes) {
  uint32_t srcElements = 1, dstElements = 1;
  for (uint32_t i = 0; i < shape.dims && i < 2; ++i) {
    srcElements *= shape.src[i];
    dstElements *= shape.dst[i];
  }
  // Elements of one byte are computed as half.
  const uint32_t cast = typeBytes == 1 ? (roundUp(srcElements, 16) + roundUp(dstElements, 16)) * 2 : 0;
  if (srcElements == dstElements || srcElements == 1) {
    const uint32_t all = typeBytes == 1 ? cast + block : 0;
    return {all, all};
  }
  if (shape.src[1] != 1) return {cast + block, cast + block};
  const uint32_t bytes = typeBytes == 1 ? 2 : typeBytes, perBlock = block / bytes, rows = shape.dst[0],
                 columns = shape.dst[1];
  const uint32_t ofBlocks = roundUp(rows, 8) * block, ofFewBlocks = perBlock * block;
  if (columns % perBlock == 0) return {ofBlocks + cast, ofFewBlocks + cast};
  const uint32_t rowBytes = roundUp(columns, perBlock) * bytes;
  return {ofBlocks + rows * rowBytes + cast, ofFewBlocks + perBlock * rowBytes + cast};
}

// A matrix that is reduced along its last axis or along its first.
struct Reduced {
  uint32_t first, last;
  bool alongLast, reusesSource;
};

// Half of the axis that is folded: what lies behind it is added to it.
constexpr uint32_t folded(uint32_t extent) {
  const uint32_t power = powerBelow(extent);
  return power == extent && extent > 1 ? power / 2 : power;
}

constexpr uint32_t alongFirst(const Reduced& r, uint32_t typeBytes) {
  return folded(r.first) * roundUp(r.last * typeBytes, block);
}

constexpr uint32_t reduceSum(const Reduced& r) {
  if (r.reusesSource) return 0;
  if (!r.alongLast) return alongFirst(r, 4);
  const uint32_t power = powerBelow(r.last);
  return r.last <= 64 ? 0 : r.first * (power == r.last && r.first > 1 ? power / 2 : power) * 4;
}

constexpr uint32_t reduceExtreme(const Reduced& r, uint32_t typeBytes) {
  if (r.reusesSource) return 0;
  if (!r.alongLast) return alongFirst(r, typeBytes);
  if (r.last <= block / typeBytes) return 0;
  return r.first * (r.last < repeat / typeBytes ? block : repeat);
}

constexpr uint32_t reduceProduct(const Reduced& r) {
  if (r.reusesSource) return r.alongLast ? repeat : 0;
  if (!r.alongLast) return alongFirst(r, 4);
  const uint32_t power = powerBelow(r.last), half = power == r.last && r.first > 1 ? power / 2 : power;
  return ((half < 8 ? 8 : half) + r.first * 8) * 4 + repeat;
}

// Truth values of one byte; those of float are extremes.
constexpr uint32_t reduceBytes(const Reduced& r) {
  if (r.alongLast) return roundUp(r.last, block) * 2 + r.first * block;
  return r.reusesSource ? 0 : alongFirst(r, 1);
}

constexpr uint32_t sum(uint32_t n, uint32_t typeBytes) {
  return roundUp((n + repeat / typeBytes - 1) / (repeat / typeBytes), block / typeBytes) * typeBytes;
}

constexpr uint32_t mean(uint32_t n, uint32_t typeBytes, uint32_t accumulatorBytes) {
  const bool widened = typeBytes == 2 && accumulatorBytes == 4;
  const uint32_t perRepeat = repeat / (widened ? 4 : typeBytes), inner = roundUp(n * typeBytes, block) / typeBytes;
  return roundUp((n + perRepeat - 1) / perRepeat, block) + (widened ? inner * 4 : 0);
}

constexpr uint32_t reduceXorSum(uint32_t n, bool reusesSource) {
  return (reusesSource ? 2 : 3) * (n * 2 < repeat ? repeat : n * 2);
}

constexpr Range cumSum(uint32_t outer, uint32_t inner, uint32_t typeBytes, bool alongLast) {
  const bool widened = typeBytes == 2;
  if (!alongLast) return widened ? Range{outer * inner * 4, outer * inner * 4} : Range{0, 0};
  // Two transposed copies of at least 16 rows; the floats of half take the second and half of a third.
  const uint32_t copies = widened ? 3 : 2;
  return {roundUp(outer, 16) * inner * typeBytes * copies, 16 * inner * typeBytes * copies};
}

}  // namespace npu_emu::sizes
