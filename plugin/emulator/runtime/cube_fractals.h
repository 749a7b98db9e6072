// Loads that count in fractals of 512 bytes, or in squares of them.
#pragma once

#include "cube.h"

namespace npu_emu::cube {

// The library counts up between local memories and on the way to L0, whatever addrMode says: that is for L1 only.
template <typename Params>
Params countingUp(Params params) {
  params.addrMode = 0;
  return params;
}

// The source fractal, or square, of a repeat.
inline int64_t sourceIndex(uint16_t startIndex, uint16_t srcStride, uint8_t addrMode, uint32_t repeat) {
  const int64_t distance = int64_t(repeat) * srcStride;
  return addrMode == 0 ? startIndex + distance : startIndex - distance;
}

// Of indices that count down, the last one is the lowest.
template <typename Params>
void requireIndices(Check check, const char* name, const Params& p) {
  if (sourceIndex(p.startIndex, p.srcStride, p.addrMode, p.repeatTimes - 1u) < 0)
    trap({check, name, "addrMode 1 counts below the start of src", "raise startIndex"});
}

// What is read of fractals, or squares of them, of so many bytes.
template <typename Params>
Reach sourcesOf(const Params& p, uint32_t bytes) {
  const uint64_t distance = uint64_t(p.repeatTimes - 1u) * p.srcStride;
  const uint64_t first = p.addrMode == 0 ? p.startIndex : p.startIndex - distance;
  Reach sources = Reach::strided(bytes, p.repeatTimes, uint64_t(p.srcStride) * bytes);
  sources.begin = static_cast<uint32_t>(first * bytes);
  sources.bytes = clipped(first * bytes + sources.bytes);
  return sources;
}

// Fractals one after the other, or with gaps between them.
inline Extent writesFractals(Operand dst, uint32_t number, uint32_t step, uint16_t alignment, Memory memory) {
  const uint64_t span = uint64_t(number - 1) * step + fractalBytes;
  return {dst, Reach(clipped(span), {fractalBytes, number, step, 1, 0, 0}), writes, "dst", alignment, memory};
}

}  // namespace npu_emu::cube
