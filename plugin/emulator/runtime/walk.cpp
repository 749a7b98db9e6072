#include "walk.h"

namespace npu_emu {

namespace {

bool isPrefixOf(const uint64_t (&mask)[2], uint32_t lanes) {
  uint64_t whole[2];
  maskOfLanes(lanes, whole);
  return mask[0] == whole[0] && mask[1] == whole[1];
}

// The first lane from `lane` on that is not active, `limit` at most. `lane` is active.
uint32_t endOfRun(const uint64_t* mask, uint32_t lane, uint32_t limit) {
  while (lane < limit) {
    uint64_t idle = ~mask[lane / 64] >> (lane % 64);
    if (idle != 0) return std::min(limit, lane + static_cast<uint32_t>(__builtin_ctzll(idle)));
    lane = (lane / 64 + 1) * 64;
  }
  return limit;
}

}  // namespace

Lanes resolve(const Walk& walk, uint32_t widest, const uint32_t* elementBytes, size_t operands) {
  Lanes lanes{};
  lanes.perRepeat = repeatBytes / widest;
  if (walk.kind == Walk::Count) {
    lanes.contiguous = true;
    lanes.total = walk.count;
    restoreMask();
    return lanes;
  }
  if (walk.repeats > 255) {
    trap({Check::RepeatRange, "vector instruction", text("repeatTime %u is out of range 0..255", walk.repeats),
          "split the call"});
  }
  requireSet(Register::MaskMode, "vector instruction");
  if (!walk.setsMask) {
    requireSet(Register::Mask, "vector instruction");
  } else {
    markSet(Register::Mask);
    // the library makes bits of a number of lanes in either mode: counted are the bits, as a number
    core->mask[0] = walk.mask[0];
    core->mask[1] = walk.mask[1];
  }
  bool full;
  if (core->maskCounter) {
    lanes.total = core->mask[0];
    if (lanes.total > architecture::ubBytes)
      trap({Check::ParameterRange, "vector instruction",
            text("in counter mode the mask counts %llu elements, more than UB has bytes",
                 static_cast<unsigned long long>(lanes.total)),
            "a mask of lanes becomes bits, which count as a number: give {count, 0}, or set the mask before the call"});
    lanes.repeats = static_cast<uint32_t>((lanes.total + lanes.perRepeat - 1) / lanes.perRepeat);
    maskOfLanes(lanes.perRepeat, lanes.mask);
    maskOfLanes(lanes.total - uint64_t(lanes.repeats == 0 ? 0 : lanes.repeats - 1) * lanes.perRepeat, lanes.lastMask);
    full = true;
  } else {
    lanes.repeats = walk.repeats;
    uint64_t valid[2];
    maskOfLanes(lanes.perRepeat, valid);
    if (walk.setsMask && ((core->mask[0] & ~valid[0]) | (core->mask[1] & ~valid[1])) != 0) {
      report({Check::MaskRange, "vector instruction",
              text("the mask has lanes beyond the %u of a repeat", lanes.perRepeat),
              "a repeat has 256 bytes: 64 lanes of 4 bytes, 128 of 2; mask[1] is 0 for types of 4 bytes"});
    }
    for (int i = 0; i < 2; ++i) lanes.lastMask[i] = lanes.mask[i] = core->mask[i] & valid[i];
    lanes.total = uint64_t(lanes.repeats) * lanes.perRepeat;
    full = isPrefixOf(lanes.mask, lanes.perRepeat);
    if ((lanes.mask[0] | lanes.mask[1]) == 0) lanes.repeats = 0;
  }
  bool dense = full;
  for (size_t i = 0; i < operands; ++i)
    dense = dense && walk.blockStride[i] == 1 && walk.repeatStride[i] == lanes.perRepeat * elementBytes[i] / blockBytes;
  lanes.contiguous = dense && lanes.repeats != 0;
  if (lanes.repeats == 0) lanes.total = 0;
  return lanes;
}

Reach reach(const Walk& walk, const Lanes& lanes, size_t index, uint32_t elementBytes) {
  const auto width = static_cast<uint16_t>(elementBytes);
  const auto operand = static_cast<uint8_t>(index);
  if (lanes.contiguous) {
    auto all = static_cast<uint32_t>(std::min<uint64_t>(lanes.total * elementBytes, UINT32_MAX));
    return {all, {all, 1, 0, 1, 0, width, LanePlace::Elements, operand}};
  }
  if (lanes.repeats == 0) return 0u;
  auto end = [&](uint32_t repeat, uint32_t lane) { return endOfLane(walk, index, repeat, lane, elementBytes); };
  const uint32_t lastLane = highestLane(lanes.lastMask), lane = lanes.repeats > 1 ? highestLane(lanes.mask) : lastLane;
  uint64_t bytes = end(lanes.repeats - 1, lastLane);
  if (lane > lastLane) bytes = std::max(bytes, end(lanes.repeats - 2, lane));
  const uint32_t highest = lane * elementBytes, lowest = lowestLane(lanes.mask) * elementBytes;
  uint32_t blockStride = walk.blockStride[index] * blockBytes, rowStride = walk.repeatStride[index] * blockBytes;
  Runs runs{highest - lowest, rowStride == 0 ? 1 : lanes.repeats, rowStride, 1, 0, width, LanePlace::Elements, operand};
  uint32_t begin = lowest;
  if (blockStride == 0) {
    begin = 0;
    runs.bytes = std::min(highest, blockBytes);
  } else if (blockStride != blockBytes) {
    begin = lowest / blockBytes * blockStride;
    runs.blocks = ceilDivide(highest, blockBytes) - lowest / blockBytes;
    runs.bytes = std::min(highest, blockBytes);
    runs.blockStride = blockStride;
  } else if (runs.rows > 1 && rowStride <= ceilDivide(highest - lowest, blockBytes) * blockBytes) {
    // gaps inside a block do not matter
    runs.bytes = static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)) - begin;
    runs.rows = 1, runs.rowStride = 0;
  }
  return {static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)), runs, begin};
}

void requireBlocksApart(const char* name, const Walk& walk, const Lanes& lanes, uint32_t elementBytes) {
  if (lanes.contiguous || lanes.repeats == 0 || walk.blockStride[0] != 0) return;
  const uint32_t lanesOfBlock = blockBytes / elementBytes;
  const auto requireOne = [&](const uint64_t(&mask)[2]) {
    if (lowestLane(mask) / lanesOfBlock == (std::max(highestLane(mask), 1u) - 1) / lanesOfBlock) return;
    trap({Check::ParameterRange, name, "dstBlkStride is 0: blocks of a repeat are written over each other",
          "give 1 or more; a source may stay at one block"});
  };
  if (lanes.repeats > 1) requireOne(lanes.mask);
  requireOne(lanes.lastMask);
}

uint32_t runsOfRepeat(const Walk& walk, const Lanes& lanes, const uint64_t* mask, const uint32_t* elementBytes,
                      size_t operands, LaneRun* runs) {
  bool joined = true;
  for (size_t i = 0; i < operands; ++i) joined = joined && walk.blockStride[i] == 1;
  const uint32_t lanesPerBlock = joined ? lanes.perRepeat : lanes.perRepeat / blocksPerRepeat;
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < lanes.perRepeat;) {
    uint64_t bits = mask[lane / 64] >> (lane % 64);
    if (bits == 0) {
      lane = (lane / 64 + 1) * 64;
      continue;
    }
    lane += static_cast<uint32_t>(__builtin_ctzll(bits));
    uint32_t end = endOfRun(mask, lane, (lane | (lanesPerBlock - 1)) + 1);  // a power of two
    LaneRun& run = runs[count++];
    for (size_t i = 0; i < operands; ++i) {
      uint32_t byte = lane * elementBytes[i];
      run.offset[i] = byte / blockBytes * walk.blockStride[i] * blockBytes + byte % blockBytes;
    }
    run.first = lane;
    run.lanes = end - lane;
    lane = end;
  }
  return count;
}

}  // namespace npu_emu
