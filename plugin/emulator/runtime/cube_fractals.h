// Loads that count in fractals of 512 bytes, or in squares of them.
#pragma once

#include "cube.h"

namespace npu_emu::cube {

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

// Fractals one after the other, or with gaps between them.
inline Extent writesFractals(Operand dst, uint32_t number, uint32_t step, uint16_t alignment, Memory memory) {
  const uint64_t span = uint64_t(number - 1) * step + fractalBytes;
  return {dst, Reach(clipped(span), {fractalBytes, number, step, 1, 0, 0}), writes, "dst", alignment, memory};
}

}  // namespace npu_emu::cube
