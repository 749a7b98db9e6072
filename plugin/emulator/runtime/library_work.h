// The time of a function of the library: instructions of which each waits for the one before.
#pragma once

#include "device.h"
#include "library.h"
#include "timing.h"

namespace npu_emu {

// Bytes of an operand whose extents come from the kernel: what does not fit is certain to be refused.
// Extents that come from a kernel: traps where no memory holds so many elements, as their product would not fit into 64
// bits either.
inline void requireExtents(const char* name, std::initializer_list<uint64_t> extents) {
  constexpr uint64_t limit = uint64_t(1) << 24;
  uint64_t product = 1;
  for (const uint64_t extent : extents) {
    if (extent != 0 && product > limit / extent)
      trap({Check::ParameterRange, name, "the shape has more elements than any memory",
            "check the tiling and the shape"});
    product *= extent;
  }
}

inline uint32_t clampedBytes(uint64_t bytes) { return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)); }

class Work {
 public:
  // One instruction over so many bytes of its widest operand, at so many cycles per repeat; `times` of them in a row.
  Work& step(uint64_t bytes, uint32_t perRepeat = 1, uint32_t times = 1) {
    return add(repeatsOf(bytes) * perRepeat, times, isa::simpleCost.tail);
  }
  // One of two sources, which may lie in the same banks.
  Work& step(uint64_t bytes, const RepeatedSource& one, const RepeatedSource& other) {
    return add(std::max<uint64_t>(repeatsOf(bytes), conflictCyclesOf(one, other)), 1, isa::simpleCost.tail);
  }
  // One that moves blocks as they are, within UB, or one element to a block of its own.
  Work& move(uint64_t bytes, uint32_t times = 1) { return add(repeatsOf(bytes), times, moveCost.tail); }
  // One that transposes so many squares. While one is waited for, the scalar unit reads where the next one's blocks are.
  Work& transposition(uint64_t squares, uint32_t times = 1) {
    constexpr uint64_t scalarCycles = addressListsCycles + usualIssueCycles - transposeTail;
    return add(std::max<uint64_t>(transposeCycles * squares, scalarCycles), times, transposeTail);
  }
  // The same where the scalar unit writes down each address of both lists before, in so many cycles: it is not done when the squares
  // are.
  Work& listedTransposition(uint64_t squares, uint32_t times, uint64_t cyclesOfAddress = 4) {
    constexpr uint64_t addresses = 32;
    const uint64_t scalarCycles = addresses * cyclesOfAddress + addressListsCycles + usualIssueCycles - transposeTail;
    return add(std::max<uint64_t>(transposeCycles * squares, scalarCycles), times, transposeTail);
  }
  // One that keeps elements. The scalar unit reads how many these are, and waits for that, before it goes on.
  Work& keeping(uint64_t bytes, uint32_t times = 1) {
    constexpr uint64_t counted = static_cast<uint64_t>(timing::flagCycles) + usualIssueCycles;
    return add(repeatsOf(bytes) * keepCycles + counted, times, keepCost.tail);
  }
  // One that sorts rows of so many pairs of eight bytes, or merges sorted ones.
  Work& sorting(uint64_t pairs, uint32_t times = 1) {
    constexpr uint32_t pairsOfRow = 32;
    return add(pairs * sortCycles / pairsOfRow, times, sortTail);
  }
  // One that makes one of the lanes of a block or of a repeat.
  Work& reduction(uint64_t bytes, uint32_t perRepeat = 1, uint32_t times = 1) {
    return add(repeatsOf(bytes) * perRepeat, times, wholeCost.tail);
  }
  // The same without a barrier between them: only what comes next waits. Each takes at least as long as it takes to issue it.
  Work& together(uint32_t times, uint64_t bytes, const RepeatedSource& one, const RepeatedSource& other) {
    return addTogether(std::max<uint64_t>(repeatsOf(bytes), conflictCyclesOf(one, other)), times, isa::simpleCost.tail);
  }
  Work& reductionsTogether(uint64_t bytes, uint32_t perRepeat, uint32_t times) {
    return addTogether(repeatsOf(bytes) * perRepeat, times, wholeCost.tail);
  }
  // The same where the scalar unit takes so long for each.
  Work& together(uint32_t times, uint64_t bytes, uint32_t scalarCycles) {
    return addTogether(std::max<uint64_t>(repeatsOf(bytes), scalarCycles), times, isa::simpleCost.tail);
  }
  // The same of columns of the same rows: the compiler, which orders what lies within one another, has each wait for the one before.
  Work& interleaved(uint32_t times, uint64_t bytes, const RepeatedSource& one = {}, const RepeatedSource& other = {}) {
    const uint64_t cycles = std::max<uint64_t>(repeatsOf(bytes), conflictCyclesOf(one, other));
    if (!device.request->autoSync) return addTogether(cycles, times, isa::simpleCost.tail);
    return add(cycles, times, isa::simpleCost.tail);
  }
  // One for each value that the scalar unit reads. Where the compiler orders the units, the next one is read when it has ended.
  Work& byScalars(uint32_t times, uint64_t bytes) {
    constexpr uint64_t scalarCycles = localReadCycles + 2 * usualIssueCycles;
    if (!device.request->autoSync)
      return addTogether(std::max(repeatsOf(bytes), scalarCycles), times, isa::simpleCost.tail);
    return add(repeatsOf(bytes) + scalarCycles + static_cast<uint64_t>(timing::flagCycles), times,
               isa::simpleCost.tail);
  }
  // One that does not wait for the one before.
  Work& beside(uint64_t bytes, uint32_t tail = isa::simpleCost.tail) { return addBeside(repeatsOf(bytes), tail); }
  Work& beside(uint64_t bytes, const RepeatedSource& one, const RepeatedSource& other) {
    return addBeside(std::max<uint64_t>(repeatsOf(bytes), conflictCyclesOf(one, other)), isa::simpleCost.tail);
  }
  // The scalar unit waits for what it reads.
  Work& waitForScalars() {
    cycles_ += static_cast<uint64_t>(timing::flagCycles);
    return *this;
  }
  // The scalar unit reads a value and tells by a flag that it has: the next one is not set before that is taken.
  Work& handOver(uint32_t times) {
    cycles_ += times * (localReadCycles + usualIssueCycles + 2 * static_cast<uint64_t>(timing::flagCycles));
    return *this;
  }
  // The scalar unit reads or writes for so many cycles, and then tells by a flag that it has.
  Work& awaitScalars(uint64_t scalarCycles) {
    cycles_ += scalarCycles + static_cast<uint64_t>(timing::flagCycles);
    return *this;
  }
  // A reduction that ends on the scalar unit, which reads the result and stores it.
  Work& endOnScalarUnit(uint32_t times = 1) {
    cycles_ += times * (scalarEndCycles + 2 * static_cast<uint64_t>(timing::flagCycles));
    return *this;
  }

  // Which operands may lie on each other.
  Work& allows(const char* written, const char* read, Lies how) {
    overlaps_.allow(written, read, how);
    return *this;
  }
  Work& bears(const char* written, const char* read, Lies how) {
    overlaps_.bear(written, read, how);
    return *this;
  }
  Work& takes(const char* role) {
    overlaps_.take(role);
    return *this;
  }

  // Begins with what the register of comparisons holds.
  Work& takeComparison() {
    takesComparison_ = true;
    return *this;
  }

  // Sets no mask: what the kernel has set stays.
  Work& keepMask() {
    keepsMask_ = true;
    return *this;
  }

  // The cycles that the unit is busy, and those from there until the result is there.
  uint32_t occupancy() const {
    const uint64_t waited = tails_ == 0 ? 0 : tails_ - lastTail_;
    return static_cast<uint32_t>(std::min<uint64_t>(cycles_ + waited, UINT32_MAX));
  }
  uint32_t tail() const { return static_cast<uint32_t>(lastTail_); }

  // Issues all as one instruction and leaves the mask full, as functions of the library do. What they worked in holds
  // garbage when `body` runs; so do operands that lie where they must not, and what is written there afterwards.
  template <size_t N, typename Body>
  [[gnu::always_inline]] void issue(const char* name, const Extent (&extents)[N], const Body& body) const {
    issue(name, {}, extents, N, body);
  }
  template <size_t N, typename Body>
  [[gnu::always_inline]] void issue(const char* name, const WorkingMemory& memory, const Extent (&extents)[N],
                                    const Body& body) const {
    issue(name, memory, extents, N, body);
  }
  template <typename Body>
  [[gnu::always_inline]] void issue(const char* name, const WorkingMemory& memory, const Extent* extents, size_t count,
                                    const Body& body) const {
    Losses losses;
    Instruction instruction{name, Pipe::V, occupancy(), tail()};
    instruction.takesComparison = takesComparison_;
    if (!keepsMask_) restoreMask();
    npu_emu::issue(
        instruction,
        [&](Touches& touches) {
          memory.touch(touches);
          for (size_t i = 0; i < count; ++i) touches.add(extents[i]);
          losses = overlaps_.find(name, memory, extents, count);
        },
        [&] {
          memory.leaveGarbage();
          losses.before.leaveGarbage();
          NPU_EMU_INLINED body();
          losses.after.leaveGarbage();
        });
  }

 private:
  // Of all steps; each but the last waits for the one before it.
  uint64_t cycles_ = 0, tails_ = 0, lastTail_ = isa::simpleCost.tail;
  Overlaps overlaps_;
  bool takesComparison_ = false, keepsMask_ = false;

  Work& add(uint64_t cycles, uint32_t times, uint32_t tail) {
    if (times == 0) return *this;
    cycles_ += times * std::max<uint64_t>(3, cycles);
    tails_ += uint64_t(times) * tail;
    lastTail_ = tail;
    return *this;
  }
  Work& addTogether(uint64_t cycles, uint32_t times, uint32_t tail) {
    if (times == 0) return *this;
    cycles_ += times * std::max<uint64_t>(usualIssueCycles, cycles);
    tails_ += tail;
    lastTail_ = tail;
    return *this;
  }
  Work& addBeside(uint64_t cycles, uint64_t tail) {
    if (tails_ == 0) return addTogether(cycles, 1, static_cast<uint32_t>(tail));
    cycles_ += std::max<uint64_t>(usualIssueCycles, cycles);
    tails_ += std::max(lastTail_, tail) - lastTail_;
    lastTail_ = std::max(lastTail_, tail);
    return *this;
  }
  static uint64_t repeatsOf(uint64_t bytes) { return (bytes + repeatBytes - 1) / repeatBytes; }
};

}  // namespace npu_emu
