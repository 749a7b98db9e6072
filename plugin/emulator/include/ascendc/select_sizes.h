// Bytes of temporary memory that selections by bytes and DropOut take: one source for the kernel and the helpers of the
// host.
#pragma once

#include "reduce_sizes.h"

namespace npu_emu::sizes {

struct Select {
  uint32_t elements, maskBytes;
  bool compacts;  // the rows of the mask are longer, and the mask must stay as it is
};

constexpr Range select(const Select& s) {
  constexpr uint32_t loop = 4096, least = 1024, reserved = 512;
  const uint32_t mask = s.compacts ? roundUp(s.elements * s.maskBytes, block) : 0;
  const auto bytes = [&](uint32_t elements) { return std::max(least, roundUp(elements, 32) * 2 + reserved) + mask; };
  return {bytes(s.elements), bytes(std::min(s.elements, loop))};
}

constexpr Range dropOut(uint32_t elements) { return {std::max(2 * repeat, 2 * elements * 4), 2 * repeat}; }

}  // namespace npu_emu::sizes
