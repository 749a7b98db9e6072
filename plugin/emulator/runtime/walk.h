// Walking a vector instruction over its operands: which runs of elements it touches, and how far that reaches.
#pragma once

#include <algorithm>
#include <array>

#include "issue.h"

namespace npu_emu {

constexpr uint32_t blockBytes = 32, repeatBytes = 256, blocksPerRepeat = 8;

constexpr uint32_t ceilDivide(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit; }

// A walk with the mask register applied: what will really be touched.
struct Lanes {
  bool contiguous;      // one run of `total` elements in every operand
  uint64_t total;
  uint32_t perRepeat;   // lanes of a repeat, by the widest element
  uint32_t repeats;
  uint64_t mask[2];     // lanes of each repeat
  uint64_t lastMask[2];  // lanes of the last repeat (counter mode cuts it)
};

// Resolves the mask state of the core and leaves it as the call would. `widest` is the size of the widest element type.
Lanes resolve(const Walk& walk, uint32_t widest, const uint32_t* elementBytes, size_t operands);

// Bytes from the first element of operand `index` to the end of the last one touched.
Reach reach(const Walk& walk, const Lanes& lanes, size_t index, uint32_t elementBytes);

// Cycles the vector unit is busy: cost per repeat times the number of repeats.
inline uint32_t vectorCycles(const Lanes& lanes, uint32_t widest, float perRepeat) {
  uint64_t repeats = lanes.contiguous ? (lanes.total * widest + repeatBytes - 1) / repeatBytes : lanes.repeats;
  return std::max<uint32_t>(3, static_cast<uint32_t>(static_cast<float>(repeats) * perRepeat));
}

inline uint32_t highestLane(const uint64_t (&mask)[2]) {
  return mask[1] != 0 ? 128 - static_cast<uint32_t>(__builtin_clzll(mask[1])) : mask[0] != 0 ? 64 - static_cast<uint32_t>(__builtin_clzll(mask[0])) : 0;
}

// The first lane from `lane` on that is not active, `limit` at most. `lane` is active.
inline uint32_t endOfRun(const uint64_t* mask, uint32_t lane, uint32_t limit) {
  while (lane < limit) {
    uint64_t idle = ~mask[lane / 64] >> (lane % 64);
    if (idle != 0) return std::min(limit, lane + static_cast<uint32_t>(__builtin_ctzll(idle)));
    lane = (lane / 64 + 1) * 64;
  }
  return limit;
}

// Calls f(offsets in bytes of every operand, number of elements) for each run of elements, in the order of the hardware.
template <size_t N, typename F>
void forEachRun(const Walk& walk, const Lanes& lanes, const std::array<uint32_t, N>& elementBytes, F f) {
  std::array<size_t, N> offsets{};
  if (lanes.contiguous) {
    if (lanes.total != 0) f(offsets, static_cast<size_t>(lanes.total));
    return;
  }
  // Runs end where a block of the widest operand ends, unless the next block follows in all of them.
  bool joined = true;
  for (size_t i = 0; i < N; ++i) joined = joined && walk.blockStride[i] == 1;
  const uint32_t lanesPerBlock = joined ? lanes.perRepeat : lanes.perRepeat / blocksPerRepeat;
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    for (uint32_t lane = 0; lane < lanes.perRepeat;) {
      uint64_t bits = mask[lane / 64] >> (lane % 64);
      if (bits == 0) {
        lane = (lane / 64 + 1) * 64;
        continue;
      }
      lane += static_cast<uint32_t>(__builtin_ctzll(bits));
      uint32_t end = endOfRun(mask, lane, (lane | (lanesPerBlock - 1)) + 1);  // a power of two
      for (size_t i = 0; i < N; ++i) {
        uint32_t byte = lane * elementBytes[i];
        offsets[i] = (size_t(repeat) * walk.repeatStride[i] + size_t(byte / blockBytes) * walk.blockStride[i]) * blockBytes + byte % blockBytes;
      }
      f(offsets, static_cast<size_t>(end - lane));
      lane = end;
    }
  }
}

}  // namespace npu_emu
