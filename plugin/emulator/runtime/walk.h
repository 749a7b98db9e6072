// Walking a vector instruction over its operands: which runs of elements it touches, and how far that reaches.
#pragma once

#include <algorithm>
#include <array>

#include "issue.h"

namespace npu_emu {

constexpr uint32_t blockBytes = 32, repeatBytes = 256, blocksPerRepeat = 8;

constexpr uint32_t ceilDivide(uint32_t value, uint32_t unit) { return value / unit + (value % unit != 0); }

// A walk with the mask register applied: what will really be touched.
struct Lanes {
  bool contiguous;  // one run of `total` elements in every operand
  uint64_t total;
  uint32_t perRepeat;  // lanes of a repeat, by the widest element
  uint32_t repeats;
  uint64_t mask[2];      // lanes of each repeat
  uint64_t lastMask[2];  // lanes of the last repeat (counter mode cuts it)
};

// What a vector instruction makes its results of: each of one lane, or, where it reduces, of so many lanes of a repeat, or
// of all lanes of all repeats.
struct LaneMap {
  static constexpr uint32_t all = 0;
  const Walk& walk;
  const Lanes& lanes;
  bool readsDst = false;
  uint32_t lanesOfResult = 1;
  uint32_t resultBytes = 0, resultStep = 0;  // of a reduction; from the results of a repeat to those of the next
};

inline Instruction onLanes(const LaneMap& lanes, const char* name, uint32_t cycles, uint32_t tail) {
  Instruction instruction{name, Pipe::V, cycles, tail};
  instruction.lanes = &lanes;
  return instruction;
}

// Resolves the mask state of the core and leaves it as the call would. `widest` is the size of the widest element type.
Lanes resolve(const Walk& walk, uint32_t widest, const uint32_t* elementBytes, size_t operands);

// Bytes from the first element of operand `index` to the end of the last one touched.
Reach reach(const Walk& walk, const Lanes& lanes, size_t index, uint32_t elementBytes);

// Traps where the walk writes several blocks of a repeat over each other, of which any may be left.
void requireBlocksApart(const char* name, const Walk& walk, const Lanes& lanes, uint32_t elementBytes);

// Cycles the vector unit is busy: cost per repeat times the number of repeats.
inline uint32_t vectorCycles(const Lanes& lanes, uint32_t widest, float perRepeat) {
  uint64_t repeats = lanes.contiguous ? (lanes.total * widest + repeatBytes - 1) / repeatBytes : lanes.repeats;
  return std::max<uint32_t>(3, static_cast<uint32_t>(static_cast<float>(repeats) * perRepeat));
}

// Lanes count from 0 here.
inline uint32_t lowestLane(const uint64_t (&mask)[2]) {
  return mask[0] != 0   ? static_cast<uint32_t>(__builtin_ctzll(mask[0]))
         : mask[1] != 0 ? 64 + static_cast<uint32_t>(__builtin_ctzll(mask[1]))
                        : 0;
}

// Lanes count from 1; 0 where there is none.
inline uint32_t highestLane(const uint64_t (&mask)[2]) {
  return mask[1] != 0   ? 128 - static_cast<uint32_t>(__builtin_clzll(mask[1]))
         : mask[0] != 0 ? 64 - static_cast<uint32_t>(__builtin_clzll(mask[0]))
                        : 0;
}

// Where a lane of a repeat ends in an operand, in bytes from its begin. Lanes count from 1; there is none at 0.
inline uint64_t endOfLane(const Walk& walk, size_t index, uint32_t repeat, uint32_t lane, uint32_t elementBytes) {
  if (lane == 0) return 0;
  const uint32_t byte = (lane - 1) * elementBytes;
  return uint64_t(repeat) * walk.repeatStride[index] * blockBytes +
         uint64_t(byte / blockBytes) * walk.blockStride[index] * blockBytes + byte % blockBytes + elementBytes;
}

// A run of lanes of a repeat: how many, and where they start in each operand.
struct LaneRun {
  uint32_t offset[4];  // in bytes from the start of the repeat
  uint32_t first;      // lane
  uint32_t lanes;
};
constexpr size_t maxRuns = 128;

// The runs of a repeat under the mask, in the order of the hardware. They end where a block of the widest operand ends,
// unless the next block follows in all operands.
uint32_t runsOfRepeat(const Walk& walk, const Lanes& lanes, const uint64_t* mask, const uint32_t* elementBytes,
                      size_t operands, LaneRun* runs);

// Calls f(offsets in bytes of every operand, number of elements, the first lane counted over all repeats) for each run of
// elements, in the order of the hardware.
template <size_t N, typename F>
void forEachRunOfLanes(const Walk& walk, const Lanes& lanes, const std::array<uint32_t, N>& elementBytes, F f) {
  std::array<size_t, N> offsets{};
  if (lanes.contiguous) {
    if (lanes.total != 0) f(offsets, static_cast<size_t>(lanes.total), uint64_t(0));
    return;
  }
  LaneRun runs[maxRuns];
  uint32_t count = 0;
  std::array<size_t, N> start{};
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const bool last = repeat + 1 == lanes.repeats;
    if (repeat == 0 || last)
      count = runsOfRepeat(walk, lanes, last ? lanes.lastMask : lanes.mask, elementBytes.data(), N, runs);
    for (const LaneRun* run = runs; run != runs + count; ++run) {
      for (size_t i = 0; i < N; ++i) offsets[i] = start[i] + run->offset[i];
      f(offsets, static_cast<size_t>(run->lanes), uint64_t(repeat) * lanes.perRepeat + run->first);
    }
    for (size_t i = 0; i < N; ++i) start[i] += size_t(walk.repeatStride[i]) * blockBytes;
  }
}

// The same, without the lane.
template <size_t N, typename F>
void forEachRun(const Walk& walk, const Lanes& lanes, const std::array<uint32_t, N>& elementBytes, F f) {
  forEachRunOfLanes<N>(walk, lanes, elementBytes,
                       [&](const std::array<size_t, N>& offsets, size_t n, uint64_t) { f(offsets, n); });
}

}  // namespace npu_emu
