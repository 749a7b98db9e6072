// Strided and masked operands of element-wise instructions: the blocks that take part are laid out densely in scratch
// memory, so that a rule works on hundreds of elements at a time, and only the lanes of the mask are written back.
#pragma once

#include "walk.h"

namespace npu_emu {

constexpr uint32_t stagedBlocks = 64;

// The blocks of a repeat that have active lanes.
struct ActiveBlocks {
  uint8_t at[blocksPerRepeat];
  uint32_t count = 0;
  bool whole = true;  // all lanes of these blocks are active

  ActiveBlocks(const uint64_t* mask, uint32_t perRepeat) {
    const uint32_t perBlock = perRepeat / blocksPerRepeat;
    const uint64_t full = (uint64_t(1) << perBlock) - 1;
    for (uint32_t block = 0; block < blocksPerRepeat; ++block) {
      uint32_t lane = block * perBlock;
      uint64_t active = mask[lane / 64] >> (lane % 64) & full;
      if (active == 0) continue;
      at[count++] = static_cast<uint8_t>(block);
      whole = whole && active == full;
    }
  }
  void takeAll() {
    whole = whole && count == blocksPerRepeat;
    for (count = 0; count < blocksPerRepeat; ++count) at[count] = static_cast<uint8_t>(count);
  }
  uint32_t last() const { return at[count - 1]; }
};

// One operand: where it is and how it is walked.
struct Strided {
  uint8_t* address;
  uint16_t blockStride, repeatStride;

  bool dense() const { return blockStride == 1 && repeatStride == blocksPerRepeat; }
  bool isLike(const Strided& other) const {
    return address == other.address && blockStride == other.blockStride && repeatStride == other.repeatStride;
  }
  uint8_t* repeat(uint32_t index) const { return address + size_t(index) * repeatStride * blockBytes; }
  // Behind the last block that `blocks` names.
  const uint8_t* end(uint32_t repeats, const ActiveBlocks& blocks) const {
    return repeat(repeats - 1) + (blocks.last() * blockStride + 1u) * blockBytes;
  }
};

// Whether working on many repeats at once gives what one after the other gives, and pays. Blocks are read whole, so
// they have to be in memory, and no result may be a source of a later repeat.
inline bool canStage(const Strided* operands, uint32_t count, const Lanes& lanes) {
  if (lanes.contiguous || lanes.repeats == 0) return false;
  const ActiveBlocks blocks(lanes.mask, lanes.perRepeat);
  if (blocks.count == 0) return false;
  const Strided& dst = operands[0];
  const uint8_t* base = core->memory[static_cast<size_t>(Memory::UB)];
  const uint8_t* top = base + core->capacity[static_cast<size_t>(Memory::UB)];
  bool joined = blocks.whole && blocks.count == blocksPerRepeat;  // a repeat is one run already
  for (uint32_t i = 0; i < count; ++i) {
    joined = joined && operands[i].blockStride == 1;
    const uint8_t* end = operands[i].end(lanes.repeats, blocks);
    if (operands[i].address < base || end > top) return false;
    bool touches = operands[i].address < dst.end(lanes.repeats, blocks) && dst.address < end;
    if (i != 0 && touches && !operands[i].isLike(dst)) return false;
  }
  bool overlapsItself =
      dst.blockStride == 0 || (lanes.repeats > 1 && dst.repeatStride < blocks.last() * dst.blockStride + 1u);
  return !joined && !overlapsItself;
}

// A block as one value: copied and blended in vector registers.
typedef uint64_t Block __attribute__((vector_size(blockBytes)));

inline Block loadBlock(const void* from) {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return block;
}

// Some repeats of an operand and the blocks of them that take part.
struct Blocks {
  const Strided& operand;
  const ActiveBlocks& active;
  uint32_t first, repeats;
};

// Where the blocks of a repeat are, in bytes from its start; `step` leads to the next repeat. The number of blocks is a
// constant, so that all of it stays in registers.
template <uint32_t count>
struct BlockOffsets {
  size_t of[count], step;

  explicit BlockOffsets(const Blocks& blocks) : step(size_t(blocks.operand.repeatStride) * blockBytes) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; ++i) of[i] = size_t(blocks.active.at[i]) * blocks.operand.blockStride * blockBytes;
  }
};

template <uint32_t count>
void collectRepeats(uint8_t* out, const Blocks& from) {
  const BlockOffsets<count> offsets(from);
  const uint8_t* in = from.operand.repeat(from.first);
  for (uint32_t left = from.repeats; left > 0; --left, in += offsets.step, out += count * blockBytes) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; ++i) std::memcpy(out + i * blockBytes, in + offsets.of[i], blockBytes);
  }
}

template <uint32_t count>
void spreadRepeats(const Blocks& to, const uint8_t* in, uint32_t step) {
  const BlockOffsets<count> offsets(to);
  uint8_t* out = to.operand.repeat(to.first);
  for (uint32_t left = to.repeats; left > 0; --left, in += step, out += offsets.step) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; ++i) std::memcpy(out + offsets.of[i], in + i * blockBytes, blockBytes);
  }
}

template <uint32_t count>
void blendRepeats(const Blocks& to, const uint8_t* in, uint32_t step, const uint64_t* lanes) {
  const BlockOffsets<count> offsets(to);
  uint8_t* out = to.operand.repeat(to.first);
  Block kept[count];
  for (uint32_t i = 0; i < count; ++i) kept[i] = loadBlock(lanes + to.active.at[i] * (blockBytes / 8));
  for (uint32_t left = to.repeats; left > 0; --left, in += step, out += offsets.step) {
#pragma GCC unroll 8
    for (uint32_t i = 0; i < count; ++i) {
      Block value = (loadBlock(in + i * blockBytes) & kept[i]) | (loadBlock(out + offsets.of[i]) & ~kept[i]);
      std::memcpy(out + offsets.of[i], &value, blockBytes);
    }
  }
}

inline void collectBlocks(uint8_t* out, const Blocks& from) {
  static constexpr decltype(&collectRepeats<1>) byCount[] = {collectRepeats<1>, collectRepeats<2>, collectRepeats<3>,
                                                             collectRepeats<4>, collectRepeats<5>, collectRepeats<6>,
                                                             collectRepeats<7>, collectRepeats<8>};
  byCount[from.active.count - 1](out, from);
}

// `lanes` has all bits set in the bytes that are written; null: all of them. `step` is the distance of two repeats in
// `in`.
inline void spreadBlocks(const uint8_t* in, uint32_t step, const Blocks& to, const uint64_t* lanes) {
  static constexpr decltype(&spreadRepeats<1>) spread[] = {spreadRepeats<1>, spreadRepeats<2>, spreadRepeats<3>,
                                                           spreadRepeats<4>, spreadRepeats<5>, spreadRepeats<6>,
                                                           spreadRepeats<7>, spreadRepeats<8>};
  static constexpr decltype(&blendRepeats<1>) blend[] = {blendRepeats<1>, blendRepeats<2>, blendRepeats<3>,
                                                         blendRepeats<4>, blendRepeats<5>, blendRepeats<6>,
                                                         blendRepeats<7>, blendRepeats<8>};
  if (lanes == nullptr) spread[to.active.count - 1](to, in, step);
  else blend[to.active.count - 1](to, in, step, lanes);
}

template <typename Lane>
void maskLanes(uint64_t (&out)[repeatBytes / 8], const uint64_t* mask) {
  constexpr uint32_t lanes = repeatBytes / sizeof(Lane);
  Lane all[lanes];
  for (uint32_t lane = 0; lane < lanes; ++lane) all[lane] = static_cast<Lane>(0 - (mask[lane / 64] >> (lane % 64) & 1));
  std::memcpy(out, all, sizeof all);
}

// The mask of a repeat, spread over the bytes of its lanes.
inline void maskBytes(uint64_t (&out)[repeatBytes / 8], const uint64_t* mask, uint32_t elementBytes) {
  (elementBytes == 2 ? maskLanes<uint16_t> : elementBytes == 4 ? maskLanes<uint32_t> : maskLanes<uint64_t>)(out, mask);
}

// What is done to the staged elements: anything, or nothing but moving them, or giving all of them one value.
enum class Effect : uint8_t { Computes, Moves, Fills };

// Calls apply(dst, src0, src1, elements) on dense memory until `repeats` repeats from `first` on, all under one mask,
// are done.
template <typename Apply>
void stageRepeats(const Strided* operands, uint32_t count, bool readsDst, Effect effect, const uint64_t* mask,
                  uint32_t first, uint32_t repeats, uint32_t elementBytes, Apply apply) {
  alignas(64) uint8_t scratch[3][stagedBlocks * blockBytes];
  ActiveBlocks blocks(mask, repeatBytes / elementBytes);
  if (blocks.count == 0) return;
  const uint32_t elementsPerBlock = blockBytes / elementBytes;
  const uint8_t* top = core->memory[static_cast<size_t>(Memory::UB)] + core->capacity[static_cast<size_t>(Memory::UB)];
  bool dense = true;
  for (uint32_t i = 0; i < count; ++i)
    dense = dense && operands[i].dense() && operands[i].repeat(first + repeats) <= top;
  if (dense && blocks.count > blocksPerRepeat / 2)
    blocks.takeAll();  // working on idle blocks too costs less than moving the others
  uint64_t lanes[repeatBytes / 8];
  if (!blocks.whole) maskBytes(lanes, mask, elementBytes);
  const uint64_t* kept = blocks.whole ? nullptr : lanes;
  if (effect == Effect::Fills) {
    apply(scratch[0], nullptr, nullptr, size_t(blocksPerRepeat) * elementsPerBlock);
    return spreadBlocks(scratch[0], 0, {operands[0], blocks, first, repeats}, kept);
  }
  const bool all = blocks.count == blocksPerRepeat, direct = all && operands[0].dense() && kept == nullptr;
  if (effect == Effect::Moves && direct)
    return collectBlocks(operands[0].repeat(first), {operands[1], blocks, first, repeats});
  const uint32_t atOnce = stagedBlocks / blocks.count, end = first + repeats;
  for (uint32_t begin = first; first < end; first += atOnce) {
    const uint32_t n = std::min(atOnce, end - first);
    uint8_t* at[3] = {};
    for (uint32_t i = 0; i < count; ++i) {
      bool inPlace = i == 0 ? direct : all && operands[i].dense();
      at[i] = inPlace ? operands[i].repeat(first) : scratch[i];
      const bool isThere = i == 0 ? !readsDst : first != begin && operands[i].repeatStride == 0;
      if (!inPlace && !isThere) collectBlocks(at[i], {operands[i], blocks, first, n});
    }
    apply(at[0], at[1], at[2], size_t(n) * blocks.count * elementsPerBlock);
    if (!direct) spreadBlocks(at[0], blocks.count * blockBytes, {operands[0], blocks, first, n}, kept);
  }
}

template <typename Apply>
void forEachStaged(const Strided* operands, uint32_t count, bool readsDst, Effect effect, const Lanes& lanes,
                   uint32_t elementBytes, Apply apply) {
  // counter mode may cut the last repeat, which is worked on alone then
  const bool cut = lanes.lastMask[0] != lanes.mask[0] || lanes.lastMask[1] != lanes.mask[1];
  const uint32_t alike = lanes.repeats - (cut ? 1 : 0);
  stageRepeats(operands, count, readsDst, effect, lanes.mask, 0, alike, elementBytes, apply);
  if (cut) stageRepeats(operands, count, readsDst, effect, lanes.lastMask, alike, 1, elementBytes, apply);
}

}  // namespace npu_emu
