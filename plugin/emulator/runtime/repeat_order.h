// What one repeat of an instruction writes and a later one reads. The unit works on the repeats in a pipeline: all that
// a repeat reads is read before it writes, and what an earlier repeat of the same instruction has written is not there
// in time. A later one that reads it gets garbage.
#pragma once

#include <vector>

#include "walk.h"

namespace npu_emu {

// What the repeats of an instruction touch of an operand: runs of bytes, in each repeat as many bytes on. The last
// repeat may have others.
struct Footprint {
  struct Run {
    uint32_t offset, bytes;
    bool operator==(const Run& other) const { return offset == other.offset && bytes == other.bytes; }
  };
  uint8_t* address;
  size_t step;
  std::vector<Run> runs, last;
  // A repeat may be made of parts, each like a repeat, and the last part of all of them like the last repeat.
  uint32_t parts = 1;
  size_t partStep = 0;

  Footprint(uint8_t* from, size_t bytesOn, std::vector<Run> each)
      : address(from), step(bytesOn), runs(std::move(each)), last(runs) {}
  // So many blocks of each repeat.
  Footprint(uint8_t* from, size_t bytesOn, uint32_t blocks, size_t blockStep, uint32_t blockLength);
  // The lanes of the mask.
  Footprint(const Operand& operand, const Walk& walk, const Lanes& lanes, size_t index, uint32_t elementBytes);

  uint8_t* at(uint32_t repeat) const { return address + repeat / parts * step + repeat % parts * partStep; }
};

// Whether partial overlap is reported where no repeat reads what another one has written.
enum class Parts : uint8_t { Reported, Silent };

class RepeatOrder {
 public:
  // Nothing overlaps.
  RepeatOrder() = default;
  // Looks where repeats meet, and reports it. `accumulates`: what is there of dst is an operand as well.
  RepeatOrder(const char* name, uint32_t repeats, Footprint dst, const std::vector<Footprint>& sources,
              Parts parts = Parts::Reported, bool accumulates = false);

  // What is read has to be read from a copy, repeat by repeat.
  bool isCareful() const { return !seen_.empty(); }
  // Where an operand is read.
  const uint8_t* source(const uint8_t* address) const { return address + shift_; }
  Operand source(Operand operand) const {
    operand.address += shift_;
    return operand;
  }
  void begin(uint32_t repeat) {
    if (isCareful()) prepare(repeat);
  }
  void end(uint32_t repeat) {
    if (isCareful()) hide(repeat);
  }

 private:
  void look(const std::vector<Footprint>& sources);
  void prepare(uint32_t repeat);
  void hide(uint32_t repeat);
  const std::vector<Footprint::Run>& runsOf(const Footprint& of, uint32_t repeat) const {
    const bool isLast = of.parts == 1 ? repeat + 1 == repeats_ : (repeat + 1) % of.parts == 0;
    return isLast ? of.last : of.runs;
  }

  uint32_t repeats_ = 0;
  bool takesDst_ = false;
  bool meetsItself_ = false, meetsOther_ = false;
  Footprint dst_{nullptr, 0, {}};
  std::vector<uint8_t> seen_;  // UB as the repeats see it
  ptrdiff_t shift_ = 0;
};

inline bool meet(const Extent& a, const Extent& b) { return a.begin() < b.end() && b.begin() < a.end(); }

// How many repeats there are, dense ones included.
inline uint32_t repeatsOf(const Lanes& lanes) {
  return lanes.contiguous ? static_cast<uint32_t>((lanes.total + lanes.perRepeat - 1) / lanes.perRepeat)
                          : lanes.repeats;
}

// Of the repeats of a walk, operand `index` and dst: whether one may read what is not its own. Cheap, and true too often.
bool mayMeet(const Extent& dst, const Extent& src, const Walk& walk, const Lanes& lanes, size_t index,
             const uint32_t* elementBytes);

// Calls f(operands, lanes, repeat) for all lanes at once, or for those of each repeat where their order counts.
template <size_t N, typename F>
void forEachInOrder(RepeatOrder& order, const std::array<Operand, N>& operands, const Walk& walk, const Lanes& lanes,
                    const uint32_t* elementBytes, F f) {
  if (!order.isCareful()) return f(operands, lanes, 0u);
  const uint32_t repeats = repeatsOf(lanes);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    std::array<Operand, N> at = operands;
    for (size_t i = 0; i < N; ++i) {
      if (operands[i].address == nullptr) continue;
      if (i != 0) at[i] = order.source(at[i]);
      const size_t step =
          lanes.contiguous ? size_t(lanes.perRepeat) * elementBytes[i] : size_t(walk.repeatStride[i]) * blockBytes;
      at[i].address += repeat * step;
    }
    Lanes one = lanes;
    one.repeats = 1;
    one.total = lanes.contiguous ? std::min<uint64_t>(lanes.perRepeat, lanes.total - uint64_t(repeat) * lanes.perRepeat)
                                 : lanes.perRepeat;
    const auto& mask = repeat + 1 == repeats ? lanes.lastMask : lanes.mask;
    for (int i = 0; i < 2; ++i) one.mask[i] = one.lastMask[i] = mask[i];
    order.begin(repeat);
    f(at, one, repeat);
    order.end(repeat);
  }
}

}  // namespace npu_emu
