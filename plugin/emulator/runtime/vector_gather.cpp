// Gathering by offset, and keeping by bit pattern. Only bytes are moved: everything here is by element size.
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "library.h"
#include "walk.h"

namespace npu_emu {

namespace {

// Calls f(byte offset in dst, index of the first lane counted over all repeats, lanes) for each run of active lanes.
template <typename F>
void forEachActive(const Walk& walk, const Lanes& lanes, uint32_t elementBytes, F f) {
  if (lanes.contiguous) {
    if (lanes.total != 0) f(size_t(0), size_t(0), static_cast<size_t>(lanes.total));
    return;
  }
  uint32_t perBlock = blockBytes / elementBytes;
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    for (uint32_t lane = 0; lane < lanes.perRepeat; ++lane) {
      uint32_t first = lane, limit = (lane / perBlock + 1) * perBlock;
      while (lane < limit && (mask[lane / 64] >> (lane % 64) & 1) != 0) ++lane;
      if (lane == first) continue;
      size_t offset =
          (size_t(repeat) * walk.repeatStride[0] + size_t(first / perBlock) * walk.blockStride[0]) * blockBytes +
          size_t(first % perBlock) * elementBytes;
      f(offset, size_t(repeat) * lanes.perRepeat + first, size_t(lane - first));
      if (lane == limit) --lane;
    }
  }
}

// Where the offsets lead, from the lowest to the highest; `bits` collects what breaks the alignment.
struct Span {
  uint64_t low = UINT64_MAX, high = 0, bits = 0;
  void add(uint32_t offset) {
    low = std::min<uint64_t>(low, offset);
    high = std::max<uint64_t>(high, offset);
    bits |= offset;
  }
};

// Adds all that is read as one; an access that fails is reported as that of the outermost element.
void addSpan(Touches& touches, const char* name, const Operand& src, const Span& span, uint32_t bytes) {
  if (span.low > span.high) return;
  touches.waitsFor(src.address + span.low, src.address + span.high + bytes);
  for (uint64_t offset : {span.high, span.low}) {
    Operand element = src;
    element.address += offset;
    touches.add(unseenByCompiler({element, bytes, reads, "an element of src", 1}));
  }
  if ((reinterpret_cast<uintptr_t>(src.address) | span.bits) % bytes == 0) return;
  trap({Check::ErrorRead4, name, text("an offset leads to an address that is not a multiple of %u bytes", bytes),
        "offsets are in bytes: multiply indices by the element size"});
}

// The body reads the offsets again: by then dst may have taken their place.
void requireInSpan(const char* name, const Span& span, const uint32_t* offsets, uint32_t base, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    const uint32_t offset = offsets[i] + base;
    if (offset >= span.low && offset <= span.high) continue;
    trap({Check::ErrorRead3, name, text("dst has overwritten an offset with %u before it was used", offset),
          "use another tensor for dst"});
  }
}

template <typename T>
void gatherRun(uint8_t* dst, const uint8_t* src, const uint32_t* offsets, uint32_t base, size_t n) {
  for (size_t i = 0; i < n; ++i)
    reinterpret_cast<T*>(dst)[i] = *reinterpret_cast<const T*>(src + static_cast<uint32_t>(offsets[i] + base));
}

bool overlaps(const uint8_t* a, uint64_t aBytes, const uint8_t* b, uint64_t bBytes) {
  return a < b + bBytes && b < a + aBytes;
}

// UB as the repeats see it that are carried out meanwhile: what was there before, and garbage where an earlier one has
// written.
class SeenByRepeats {
 public:
  SeenByRepeats()
      : base_(core->memory[static_cast<size_t>(Memory::UB)]),
        seen_(base_, base_ + core->capacity[static_cast<size_t>(Memory::UB)]) {}
  const uint8_t* at(const uint8_t* address) const { return seen_.data() + (address - base_); }
  // A repeat is about to read.
  void begin(size_t repeat) {
    if (repeat != repeat_) hide();
    repeat_ = repeat;
  }
  // It has read, or is about to, what it writes there.
  void write(const uint8_t* place, size_t bytes) { runs_.push_back({static_cast<size_t>(place - base_), bytes}); }
  void beginRun(size_t repeat, const uint8_t* place, size_t bytes) {
    begin(repeat);
    write(place, bytes);
  }

 private:
  struct Run {
    size_t offset, bytes;
  };
  void hide() {
    for (const Run& run : runs_) std::memset(seen_.data() + run.offset, garbage, run.bytes);
    runs_.clear();
  }

  const uint8_t* base_;
  std::vector<uint8_t> seen_;
  std::vector<Run> runs_;
  size_t repeat_ = 0;
};

// One bit per element of a built-in pattern, repeated every four elements.
constexpr uint8_t builtInPatterns[] = {0b0101, 0b1010, 0b0001, 0b0010, 0b0100, 0b1000, 0b1111};

uint64_t countKept(const vec::Keeping& keeping, uint32_t perRepeat) {
  const uint64_t builtIn = keeping.pattern != nullptr ? 0 : builtInPatterns[keeping.builtIn - 1] * 0x1111111111111111u;
  uint64_t kept = 0;
  for (uint32_t repeat = 0; repeat < keeping.repeats; ++repeat) {
    const uint8_t* pattern = keeping.pattern == nullptr
                                 ? nullptr
                                 : keeping.pattern->address + size_t(repeat) * keeping.patternStride * blockBytes;
    for (uint32_t first = 0; first < perRepeat; first += 64) {
      const uint32_t left = perRepeat - first;
      uint64_t bits = builtIn;
      if (pattern != nullptr) std::memcpy(&bits, pattern + first / 8, std::min<size_t>(8, (left + 7) / 8));
      kept += static_cast<uint64_t>(__builtin_popcountll(left >= 64 ? bits : bits & ((uint64_t(1) << left) - 1)));
    }
  }
  return kept;
}

// `seen`: where dst lies on what is read.
template <typename T>
uint64_t keepElements(uint8_t* dst, const uint8_t* src, const vec::Keeping& keeping, uint32_t perRepeat,
                      uint64_t counted, SeenByRepeats* seen) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T), perStep = repeatBytes / sizeof(T);
  const uint32_t stepsOfRepeat = ceilDivide(perRepeat, perStep);
  // 64 elements at a time where they lie one after the other
  const uint32_t atATime = keeping.blockStride == 1 ? 64 : perBlock;
  const uint64_t builtIn = keeping.pattern != nullptr ? 0 : builtInPatterns[keeping.builtIn - 1] * 0x1111111111111111u;
  T* out = reinterpret_cast<T*>(dst);
  bool reported = false;
  // What earlier steps have written begins with dst and has no gaps.
  const auto at = [&](const uint8_t* address, size_t bytes, const uint8_t* writtenBefore) {
    if (seen == nullptr) return address;
    if (!reported && writtenBefore > address && dst < address + bytes) {
      reported = true;
      report({Check::OverlapForbidden, "GatherMask",
              "a repeat reads what an earlier one has written, which is not there in time",
              "use another tensor for dst, or one that begins no later than what is read"});
    }
    return seen->at(address);
  };
  const uint8_t* writtenBefore = dst;
  for (uint32_t repeat = 0; repeat < keeping.repeats; ++repeat) {
    const uint8_t* from = src + size_t(repeat) * keeping.repeatStride * blockBytes;
    const uint8_t* pattern = keeping.pattern == nullptr
                                 ? nullptr
                                 : keeping.pattern->address + size_t(repeat) * keeping.patternStride * blockBytes;
    for (uint32_t first = 0; first < perRepeat; first += atATime) {
      // a repeat of the mask may be longer than one of the unit
      if (seen != nullptr && first % perStep == 0) {
        seen->begin(size_t(repeat) * stepsOfRepeat + first / perStep);
        writtenBefore = reinterpret_cast<const uint8_t*>(out);
      }
      const uint32_t n = std::min(atATime, perRepeat - first);
      uint64_t bits = builtIn;
      if (pattern != nullptr) std::memcpy(&bits, at(pattern + first / 8, (n + 7) / 8, writtenBefore), (n + 7) / 8);
      if (n < 64) bits &= (uint64_t(1) << n) - 1;
      const auto count = static_cast<size_t>(__builtin_popcountll(bits));
      if (static_cast<uint64_t>(out - reinterpret_cast<T*>(dst)) + count > counted)
        trap({Check::ErrorWrite2, "GatherMask", "dst has overwritten the pattern before it was used",
              "use another tensor for dst"});
      if (bits == 0) continue;
      const T* in = reinterpret_cast<const T*>(
          at(from + size_t(first / perBlock) * keeping.blockStride * blockBytes, n * sizeof(T), writtenBefore));
      if (seen != nullptr) seen->write(reinterpret_cast<const uint8_t*>(out), count * sizeof(T));
      for (; bits != 0; bits &= bits - 1) *out++ = in[__builtin_ctzll(bits)];
    }
  }
  return static_cast<uint64_t>(out - reinterpret_cast<T*>(dst));
}

}  // namespace

namespace vec {

void gather(Operand dst, Operand src, Operand offsets, uint32_t base, const Walk& walk, uint32_t elementBytes) {
  requireSize("Gather", elementBytes, {2, 4});
  Lanes lanes = resolve(walk, elementBytes, &elementBytes, 1);
  size_t used = 0;
  forEachActive(walk, lanes, elementBytes, [&](size_t, size_t lane, size_t n) { used = std::max(used, lane + n); });
  if (used == 0) return;
  const Reach written = reach(walk, lanes, 0, elementBytes);
  const auto* byteOffsets = reinterpret_cast<const uint32_t*>(offsets.address);
  Span span;
  const uint32_t cycles = vectorCycles(lanes, elementBytes, elementBytes == 2 ? gatherCost.c16 : gatherCost.c32);
  const LaneMap map{walk, lanes};
  issue(
      onLanes(map, "Gather", cycles, gatherCost.tail),
      [&](Touches& touches) {
        touches.add(Extent{dst, written, writes, "dst"});
        touches.add(Extent{offsets, static_cast<uint32_t>(used * 4), reads, "srcOffset"});
        forEachActive(walk, lanes, elementBytes, [&](size_t, size_t lane, size_t n) {
          for (size_t i = 0; i < n; ++i) span.add(byteOffsets[lane + i] + base);
        });
        addSpan(touches, "Gather", src, span, elementBytes);
      },
      [&] {
        auto run = elementBytes == 2 ? gatherRun<uint16_t> : gatherRun<uint32_t>;
        const bool inPlace =
            overlaps(dst.address, written, src.address + span.low, span.high - span.low + elementBytes);
        if (!inPlace && !overlaps(dst.address, written, offsets.address, used * 4)) {
          forEachActive(walk, lanes, elementBytes, [&](size_t offset, size_t lane, size_t n) {
            run(dst.address + offset, src.address, byteOffsets + lane, base, n);
          });
          return;
        }
        if (inPlace) {
          report({Check::OverlapForbidden, "Gather",
                  "dst overlaps what is gathered, which the documentation forbids; a repeat takes garbage where an "
                  "earlier one has written",
                  "use another tensor for dst"});
        }
        SeenByRepeats seen;
        const auto* seenOffsets = reinterpret_cast<const uint32_t*>(seen.at(offsets.address));
        const size_t perRepeat = repeatBytes / elementBytes;
        forEachActive(walk, lanes, elementBytes, [&](size_t offset, size_t lane, size_t n) {
          for (size_t done = 0, part; done < n; done += part) {
            part = std::min(n - done, perRepeat - (lane + done) % perRepeat);
            uint8_t* place = dst.address + offset + done * elementBytes;
            seen.beginRun((lane + done) / perRepeat, place, part * elementBytes);
            requireInSpan("Gather", span, seenOffsets + lane + done, base, part);
            run(place, seen.at(src.address), seenOffsets + lane + done, base, part);
          }
        });
      });
}

void gatherBlocks(Operand dst, Operand src, Operand offsets, uint32_t repeats, uint32_t blockStride,
                  uint32_t repeatStride) {
  if (repeats > 255)
    trap({Check::RepeatRange, "Gatherb", text("repeatTime %u is out of range 0..255", repeats), "split the call"});
  fillMask();
  if (repeats == 0) return;
  if (blockStride == 0) blockStride = 1;
  const uint32_t count = repeats * blocksPerRepeat;
  const Reach written = Reach::strided(blockBytes, repeats, uint64_t(repeatStride) * blockBytes, blocksPerRepeat,
                                       uint64_t(blockStride) * blockBytes);
  const auto* byteOffsets = reinterpret_cast<const uint32_t*>(offsets.address);
  Span span;
  issue(
      {"Gatherb", Pipe::V, gatherBlocksCycles * repeats, gatherCost.tail},
      [&](Touches& touches) {
        touches.add(Extent{dst, written, writes, "dst"});
        touches.add(Extent{offsets, count * 4, reads, "offset"});
        for (uint32_t i = 0; i < count; ++i) span.add(byteOffsets[i]);
        addSpan(touches, "Gatherb", src, span, blockBytes);
      },
      [&] {
        std::optional<SeenByRepeats> seen;
        if (overlaps(dst.address, written, src.address + span.low, span.high - span.low + blockBytes) ||
            overlaps(dst.address, written, offsets.address, count * 4)) {
          report({Check::OverlapForbidden, "Gatherb",
                  "dst overlaps what is gathered; a repeat takes garbage where an earlier one has written",
                  "use another tensor for dst"});
          seen.emplace();
        }
        const auto seenAt = [&](const uint8_t* address) { return seen ? seen->at(address) : address; };
        const auto* seenOffsets = reinterpret_cast<const uint32_t*>(seenAt(offsets.address));
        for (uint32_t i = 0; i < count; ++i) {
          const size_t block = size_t(i / blocksPerRepeat) * repeatStride + size_t(i % blocksPerRepeat) * blockStride;
          uint8_t* place = dst.address + block * blockBytes;
          if (seen) seen->beginRun(i / blocksPerRepeat, place, blockBytes);
          requireInSpan("Gatherb", span, seenOffsets + i, 0, 1);
          std::memmove(place, seenAt(src.address) + seenOffsets[i], blockBytes);
        }
      });
}

uint64_t gatherMask(Operand dst, Operand src, const Keeping& keeping, uint32_t elementBytes) {
  if (keeping.pattern == nullptr && (keeping.builtIn < 1 || keeping.builtIn > 7)) {
    trap({Check::ParameterRange, "GatherMask", text("src1Pattern %u is out of range 1..7", keeping.builtIn),
          "use a built-in pattern, or a tensor of bits"});
  }
  requireSize("GatherMask", elementBytes, {2, 4});
  if (keeping.repeats > UINT16_MAX)
    trap({Check::RepeatRange, "GatherMask", text("repeatTimes %u is out of range 0..65535", keeping.repeats),
          "split the call"});
  if (keeping.counter && keeping.mask > architecture::ubBytes)
    trap({Check::ParameterRange, "GatherMask", text("mask is %u, more elements than UB has bytes", keeping.mask),
          "in counter mode the mask counts the elements of a repeat"});
  restoreMask();
  core->mask[0] = keeping.mask;
  core->mask[1] = 0;
  // In counter mode a repeat is as long as the mask says; its blocks go on at the block stride.
  uint32_t perRepeat = keeping.counter ? keeping.mask : repeatBytes / elementBytes,
           perBlock = blockBytes / elementBytes;
  core->registers.kept = {0, 0};
  markSet(Register::Kept);
  if (keeping.repeats == 0 || perRepeat == 0) return keptRegister(true);
  const uint64_t repeatLength = uint64_t(perRepeat) * elementBytes, blocks = (uint64_t(perRepeat) - 1) / perBlock + 1;
  const uint64_t repeatStride = uint64_t(keeping.repeatStride) * blockBytes,
                 blockStride = uint64_t(keeping.blockStride) * blockBytes;
  const uint32_t ofLastBlock = ((perRepeat - 1) % perBlock + 1) * elementBytes;
  Reach read = Reach::strided(repeatLength, keeping.repeats, repeatStride);
  if (blockStride != blockBytes) {
    read = Reach::strided(std::min<uint64_t>(repeatLength, blockBytes), keeping.repeats, repeatStride,
                          static_cast<uint32_t>(blocks), blockStride);
    if (blocks > 1) read.bytes -= blockBytes - ofLastBlock;
  }
  const Reach bits = keeping.pattern == nullptr ? Reach()
                                                : Reach::strided((uint64_t(perRepeat) + 7) / 8, keeping.repeats,
                                                                 uint64_t(keeping.patternStride) * blockBytes);
  auto clamp = [](uint64_t bytes) { return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)); };
  const uint64_t steps = keeping.repeats * ((uint64_t(perRepeat) * elementBytes + repeatBytes - 1) / repeatBytes);
  uint64_t counted = 0;
  issue(
      {"GatherMask", Pipe::V, clamp(static_cast<uint64_t>(keepCost.c16) * steps), keepCost.tail},
      [&](Touches& touches) {
        const Operand& pattern = keeping.pattern == nullptr ? src : *keeping.pattern;
        touches.add(Extent{src, read, reads, "src0"});
        touches.add(Extent{pattern, bits, reads, "src1Pattern"});
        // how much is written is only known from the pattern
        counted = countKept(keeping, perRepeat);
        touches.add(Extent{dst, clamp(counted * elementBytes), writes, "dst"});
      },
      [&] {
        auto keepAll = elementBytes == 2 ? keepElements<uint16_t> : keepElements<uint32_t>;
        const uint64_t written = counted * elementBytes;
        std::optional<SeenByRepeats> seen;
        if (overlaps(dst.address, written, src.address, read.bytes) ||
            (keeping.pattern != nullptr && overlaps(dst.address, written, keeping.pattern->address, bits.bytes)))
          seen.emplace();
        leave(core->registers.kept,
              keepAll(dst.address, src.address, keeping, perRepeat, counted, seen ? &*seen : nullptr));
      });
  return keptRegister(true);
}

void keep(Operand dst, Operand src, Keeping keeping, uint32_t elementBytes) {
  requireSet(Register::MaskMode, "Reduce");
  if (core->maskCounter) requireSet(Register::Mask, "Reduce");
  const UnsetRegisters unset = core->unset;
  const uint64_t mask[2] = {core->mask[0], core->mask[1]};
  keeping.counter = core->maskCounter;
  keeping.mask = static_cast<uint32_t>(mask[0]);
  gatherMask(dst, src, keeping, elementBytes);
  core->maskCounter = keeping.counter;
  core->mask[0] = mask[0];
  core->mask[1] = mask[1];
  if (unset.has(Register::Mask)) core->unset.add(Register::Mask);
}

}  // namespace vec
}  // namespace npu_emu
