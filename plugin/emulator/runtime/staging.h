// Strided and masked operands of element-wise instructions: the blocks that take part are laid out densely in scratch memory,
// so that a rule works on hundreds of elements at a time, and only the lanes of the mask are written back.
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
  uint32_t last() const { return at[count - 1]; }
};

// One operand: where it is and how it is walked.
struct Strided {
  uint8_t* address;
  uint16_t blockStride, repeatStride;

  bool dense() const { return blockStride == 1 && repeatStride == blocksPerRepeat; }
  bool isLike(const Strided& other) const { return address == other.address && blockStride == other.blockStride && repeatStride == other.repeatStride; }
  uint8_t* repeat(uint32_t index) const { return address + size_t(index) * repeatStride * blockBytes; }
  // Behind the last block that `blocks` names.
  const uint8_t* end(uint32_t repeats, const ActiveBlocks& blocks) const { return repeat(repeats - 1) + (blocks.last() * blockStride + 1u) * blockBytes; }
};

// Whether working on many repeats at once gives what one after the other gives, and pays. Blocks are read whole, so they have
// to be in memory, and no result may be a source of a later repeat.
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
  bool overlapsItself = dst.blockStride == 0 || (lanes.repeats > 1 && dst.repeatStride < blocks.last() * dst.blockStride + 1u);
  return !joined && !overlapsItself;
}

inline void collectBlocks(uint8_t* out, const Strided& from, const ActiveBlocks& blocks, uint32_t first, uint32_t repeats) {
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    const uint8_t* in = from.repeat(first + repeat);
    for (uint32_t i = 0; i < blocks.count; ++i, out += blockBytes) std::memcpy(out, in + size_t(blocks.at[i]) * from.blockStride * blockBytes, blockBytes);
  }
}

// `lanes` has all bits set in the bytes that are written; null: all of them.
inline void spreadBlocks(const uint8_t* in, const Strided& to, const ActiveBlocks& blocks, uint32_t first, uint32_t repeats, const uint64_t* lanes) {
  constexpr uint32_t words = blockBytes / 8;
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    uint8_t* out = to.repeat(first + repeat);
    for (uint32_t i = 0; i < blocks.count; ++i, in += blockBytes) {
      uint8_t* at = out + size_t(blocks.at[i]) * to.blockStride * blockBytes;
      if (lanes == nullptr) {
        std::memcpy(at, in, blockBytes);
        continue;
      }
      uint64_t is[words], was[words];
      std::memcpy(is, in, blockBytes);
      std::memcpy(was, at, blockBytes);
      const uint64_t* kept = lanes + blocks.at[i] * words;
      for (uint32_t word = 0; word < words; ++word) was[word] = (is[word] & kept[word]) | (was[word] & ~kept[word]);
      std::memcpy(at, was, blockBytes);
    }
  }
}

// The mask of a repeat, spread over the bytes of its lanes.
inline void maskBytes(uint64_t (&out)[repeatBytes / 8], const uint64_t* mask, uint32_t elementBytes) {
  auto* bytes = reinterpret_cast<uint8_t*>(out);
  for (uint32_t lane = 0; lane < repeatBytes / elementBytes; ++lane)
    std::memset(bytes + lane * elementBytes, (mask[lane / 64] >> (lane % 64) & 1) != 0 ? 0xff : 0, elementBytes);
}

// Calls apply(dst, src0, src1, elements) on dense memory until `repeats` repeats from `first` on, all under one mask, are done.
template <typename Apply>
void stageRepeats(const Strided* operands, uint32_t count, bool readsDst, const uint64_t* mask, uint32_t first, uint32_t repeats, uint32_t elementBytes, Apply apply) {
  alignas(64) uint8_t scratch[3][stagedBlocks * blockBytes];
  const ActiveBlocks blocks(mask, repeatBytes / elementBytes);
  if (blocks.count == 0) return;
  uint64_t lanes[repeatBytes / 8];
  if (!blocks.whole) maskBytes(lanes, mask, elementBytes);
  const bool all = blocks.count == blocksPerRepeat;
  const uint32_t atOnce = stagedBlocks / blocks.count, end = first + repeats;
  for (; first < end; first += atOnce) {
    uint32_t n = std::min(atOnce, end - first);
    uint8_t* at[3] = {};
    for (uint32_t i = 0; i < count; ++i) {
      bool direct = all && operands[i].dense() && (i != 0 || blocks.whole);
      at[i] = direct ? operands[i].repeat(first) : scratch[i];
      if (!direct && (i != 0 || readsDst)) collectBlocks(at[i], operands[i], blocks, first, n);
    }
    apply(at[0], at[1], at[2], size_t(n) * blocks.count * (blockBytes / elementBytes));
    if (at[0] == scratch[0]) spreadBlocks(at[0], operands[0], blocks, first, n, blocks.whole ? nullptr : lanes);
  }
}

template <typename Apply>
void forEachStaged(const Strided* operands, uint32_t count, bool readsDst, const Lanes& lanes, uint32_t elementBytes, Apply apply) {
  // counter mode may cut the last repeat, which is worked on alone then
  const bool cut = lanes.lastMask[0] != lanes.mask[0] || lanes.lastMask[1] != lanes.mask[1];
  const uint32_t alike = lanes.repeats - (cut ? 1 : 0);
  stageRepeats(operands, count, readsDst, lanes.mask, 0, alike, elementBytes, apply);
  if (cut) stageRepeats(operands, count, readsDst, lanes.lastMask, alike, 1, elementBytes, apply);
}

}  // namespace npu_emu
