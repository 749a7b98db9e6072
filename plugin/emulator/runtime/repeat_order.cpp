#include "repeat_order.h"

#include <cstring>

#include "library.h"

namespace npu_emu {

Footprint::Footprint(uint8_t* from, size_t bytesOn, uint32_t blocks, size_t blockStep, uint32_t blockLength)
    : address(from), step(bytesOn) {
  for (uint32_t i = 0; i < blocks; ++i) runs.push_back({static_cast<uint32_t>(i * blockStep), blockLength});
  last = runs;
}

Footprint::Footprint(const Operand& operand, const Walk& walk, const Lanes& lanes, size_t index, uint32_t elementBytes)
    : address(operand.address) {
  if (lanes.contiguous) {
    const uint32_t whole = lanes.perRepeat * elementBytes;
    const auto left = static_cast<uint32_t>((lanes.total - 1) % lanes.perRepeat + 1) * elementBytes;
    step = whole;
    runs.push_back({0, whole});
    last.push_back({0, left});
    return;
  }
  step = size_t(walk.repeatStride[index]) * blockBytes;
  Walk only = walk;
  only.blockStride[0] = walk.blockStride[index];
  const auto runsUnder = [&](const uint64_t(&mask)[2]) {
    LaneRun found[maxRuns];
    const uint32_t count = runsOfRepeat(only, lanes, mask, &elementBytes, 1, found);
    std::vector<Run> all;
    for (uint32_t i = 0; i < count; ++i) {
      // a narrow operand has the lanes of two or more of its blocks in a row
      uint32_t begin = found[i].first * elementBytes, end = begin + found[i].lanes * elementBytes;
      for (uint32_t next; begin < end; begin = next) {
        next = only.blockStride[0] == 1 ? end : std::min(end, (begin / blockBytes + 1) * blockBytes);
        const uint32_t at = begin / blockBytes * only.blockStride[0] * blockBytes + begin % blockBytes;
        all.push_back({at, next - begin});
      }
    }
    return all;
  };
  runs = runsUnder(lanes.mask);
  last = runsUnder(lanes.lastMask);
}

RepeatOrder::RepeatOrder(const char* name, uint32_t repeats, Footprint dst, const std::vector<Footprint>& sources,
                         Parts parts, bool accumulates)
    : repeats_(repeats), takesDst_(accumulates && dst.step != 0), dst_(std::move(dst)) {
  look(sources);
  if (!meetsItself_ && !meetsOther_) return;
  if (meetsOther_) {
    report({Check::OverlapForbidden, name,
            "a repeat reads what an earlier repeat of the same instruction writes, which is not there in time",
            "use another tensor for dst, or an instruction for each step"});
  } else if (parts == Parts::Reported) {
    report({Check::OverlapForbidden, name, "dst overlaps a part of a source within a repeat",
            "let dst be the source, or another tensor"});
  }
  constexpr auto ub = static_cast<size_t>(Memory::UB);
  seen_.assign(core->memory[ub], core->memory[ub] + core->capacity[ub]);
  shift_ = seen_.data() - core->memory[ub];
}

// Notes for each byte of dst which repeat has written it last.
void RepeatOrder::look(const std::vector<Footprint>& sources) {
  const uint8_t* top = dst_.address;
  for (uint32_t repeat = 0; repeat < repeats_; ++repeat)
    for (const Footprint::Run& run : runsOf(dst_, repeat))
      top = std::max<const uint8_t*>(top, dst_.at(repeat) + run.offset + run.bytes);
  std::vector<uint32_t> writers(static_cast<size_t>(top - dst_.address), 0);
  const auto meets = [&](const Footprint& source, uint32_t repeat, auto concerns) {
    for (const Footprint::Run& run : runsOf(source, repeat)) {
      const uint8_t* begin = source.at(repeat) + run.offset;
      const uint8_t *low = std::max<const uint8_t*>(begin, dst_.address), *high = std::min(begin + run.bytes, top);
      for (; low < high; ++low)
        if (concerns(writers[static_cast<size_t>(low - dst_.address)])) return true;
    }
    return false;
  };
  for (uint32_t repeat = 0; repeat < repeats_ && !meetsOther_; ++repeat) {
    const auto isEarlier = [](uint32_t writer) { return writer != 0; };
    const auto isOwn = [&](uint32_t writer) { return writer == repeat + 1; };
    uint8_t* at = dst_.at(repeat);
    if (takesDst_) meetsOther_ = meets(dst_, repeat, isEarlier);
    for (const Footprint& source : sources) meetsOther_ = meetsOther_ || meets(source, repeat, isEarlier);
    for (const Footprint::Run& run : runsOf(dst_, repeat))
      std::fill_n(writers.begin() + (at + run.offset - dst_.address), run.bytes, repeat + 1);
    for (const Footprint& source : sources) {
      const bool isInPlace = source.at(repeat) == at && runsOf(source, repeat) == runsOf(dst_, repeat);
      meetsItself_ = meetsItself_ || (!isInPlace && meets(source, repeat, isOwn));
    }
  }
}

void RepeatOrder::prepare(uint32_t repeat) {
  if (!takesDst_) return;
  for (const Footprint::Run& run : runsOf(dst_, repeat)) {
    uint8_t* at = dst_.at(repeat) + run.offset;
    std::memcpy(at, source(at), run.bytes);
  }
}

void RepeatOrder::hide(uint32_t repeat) {
  for (const Footprint::Run& run : runsOf(dst_, repeat))
    std::memset(dst_.at(repeat) + shift_ + run.offset, garbage, run.bytes);
}

// Rows of both lie between each other: every repeat has its own part of a row that the strides cross at once.
static bool lieBetween(const Extent& dst, const Extent& src, const Walk& walk, size_t index, uint32_t lane,
                       const uint32_t* elementBytes) {
  const uint64_t row = uint64_t(walk.repeatStride[0]) * blockBytes;
  if (row == 0 || walk.repeatStride[index] != walk.repeatStride[0]) return false;
  const auto lengthOf = [&](size_t i) { return endOfLane(walk, i, 0, lane, elementBytes[i]); };
  const auto distance = src.begin() - dst.begin();
  const auto signedRow = static_cast<ptrdiff_t>(row);
  const auto behind = static_cast<uint64_t>((distance % signedRow + signedRow) % signedRow);
  return behind >= lengthOf(0) && behind + lengthOf(index) <= row;
}

bool mayMeet(const Extent& dst, const Extent& src, const Walk& walk, const Lanes& lanes, size_t index,
             const uint32_t* elementBytes) {
  if (!meet(dst, src)) return false;
  const bool isSame = dst.begin() == src.begin() && elementBytes[0] == elementBytes[index];
  if (lanes.contiguous) return !isSame;
  const uint32_t lane = std::max(highestLane(lanes.mask), highestLane(lanes.lastMask));
  if (isSame && walk.blockStride[0] == walk.blockStride[index] && walk.repeatStride[0] == walk.repeatStride[index])
    return lanes.repeats > 1 &&
           endOfLane(walk, 0, 0, lane, elementBytes[0]) > uint64_t(walk.repeatStride[0]) * blockBytes;
  return !lieBetween(dst, src, walk, index, lane, elementBytes);
}

}  // namespace npu_emu
