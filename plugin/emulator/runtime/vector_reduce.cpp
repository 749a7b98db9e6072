// Reductions of a tensor to one result, as the library makes them of reductions of repeats.
#include <cstring>
#include <tuple>
#include <vector>

#include "reduction_lanes.h"
#include "repeat_order.h"
#include "api_calls.h"
#include "library.h"

namespace npu_emu {

using namespace reduction;

namespace {

// Elements of the temporary tensor that are written: one result per repeat for sums; a pair per repeat for maxima and
// minima, whose further levels follow at the next block each while their indices are still needed.
template <typename T>
uint32_t workElements(Reduction kind, uint32_t repeats, bool withIndex) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  if (kind == Reduction::Sum) return repeats;
  uint32_t first = 2 * repeats;
  if (!withIndex || repeats == 1) return withIndex ? 0 : first;
  uint32_t start = ceilDivide(first, perBlock) * perBlock, level = 2 * ceilDivide(first, lanesOf<T>);
  while (level > 2) {
    start = ceilDivide(start + level, perBlock) * perBlock;
    level = 2 * ceilDivide(level, lanesOf<T>);
  }
  return start + level;
}

// The library ends a reduction on the scalar unit, where the result is read and stored back. A pair of one repeat is where
// it belongs at once.
bool takesFlags(uint32_t repeats, bool withIndex) { return !withIndex || repeats != 1; }

void requireIdsOfEnd(const char* name) {
  using AscendC::HardEvent;
  requireFreeIds(name, {HardEvent::V_S, HardEvent::S_V, HardEvent::S_MTE3});
}

void endOnScalarUnit(const char* name, bool byFlags) {
  if (byFlags) orderByFlag(name, AscendC::HardEvent::V_S);
  else orderPipes(Pipe::V, Pipe::S);
  if (byFlags) scalarCycles(scalarEndCycles);
  if (byFlags) orderByFlag(name, AscendC::HardEvent::S_V);
  else orderPipes(Pipe::S, Pipe::V);
}

constexpr uint32_t levelCycles(uint32_t repeats) { return static_cast<uint32_t>(wholeCost.c32) * repeats; }

// The mask that a maximum or minimum leaves, which sets it for each of its instructions and never back: all lanes of the only
// repeat, those of the two results where it ends with them, and between the levels a pattern of no use to a kernel.
template <typename T>
void leaveMaskOfExtreme(uint32_t count) {
  constexpr uint32_t ofRepeat = repeatBytes / sizeof(T);
  if (count <= ofRepeat) leaveLanes(count);
  else if (count % ofRepeat != 0) leaveLanes(2);
  else markLost(Register::Mask);
}

// The same of a reduction of repeats. The levels of a sum count elements for a while.
void leaveMaskOfRepeats(Reduction kind, const uint64_t (&mask)[2], uint32_t repeats) {
  if (repeats == 1) {
    std::copy_n(mask, 2, core->mask);
    return markSet(Register::Mask);
  }
  markLost(Register::Mask);
  if (kind != Reduction::Sum) return;
  core->maskCounter = false;
  markSet(Register::MaskMode);
}

// How many repeats each instruction takes of a reduction, of which each waits for the one before. Maxima and minima leave pairs, and
// look once more at the last of these unless they tell where it was; sums leave one element for each repeat.
template <typename T>
std::vector<uint32_t> levelsOf(Reduction kind, uint32_t repeats, bool withIndex) {
  std::vector<uint32_t> levels{repeats};
  if (repeats == 1) return levels;
  const uint32_t perResult = kind == Reduction::Sum ? 1 : 2;
  const auto further = [&] { levels.push_back(ceilDivide(perResult * levels.back(), lanesOf<T>)); };
  further();
  if (perResult * levels.back() > lanesOf<T>) further();
  const bool endsThere = levels.back() == 1 && (kind == Reduction::Sum || withIndex);
  if (!endsThere) levels.push_back(1);
  return levels;
}

// The instructions after the first one of a reduction.
template <typename T>
void issueFurtherLevels(const char* name, const std::vector<uint32_t>& levels, const Extent& dst, const Extent& src) {
  for (size_t i = 1; i < levels.size(); ++i) {
    pipeBarrierOf(Pipe::V);
    issue({name, Pipe::V, levelCycles(levels[i]), wholeCost.tail}, {onlyForCompiler(dst), onlyForCompiler(src)}, [] {});
  }
}

// Elements behind the last whole repeat have a maximum of their own, and the scalar unit puts it beside that of the repeats: of both
// the maximum is taken again.
void issueExtremeOfTail(const char* name, bool withIndex, const Extent& dst, const Extent& src) {
  using AscendC::HardEvent;
  const auto compare = [&] {
    issue({name, Pipe::V, levelCycles(1), wholeCost.tail}, {onlyForCompiler(dst), onlyForCompiler(src)}, [] {});
    if (!withIndex) endOnScalarUnit(name, true);
  };
  constexpr uint32_t readCycles = usualIssueCycles + localReadCycles, writeCycles = usualIssueCycles + localWriteCycles;
  orderByFlag(name, HardEvent::V_S);
  scalarCycles(2 * readCycles);
  compare();
  orderByFlag(name, HardEvent::V_S);
  scalarCycles(2 * (readCycles + writeCycles));
  orderByFlag(name, HardEvent::S_V);
  compare();
  if (!withIndex) return;
  orderByFlag(name, HardEvent::V_S);
  scalarCycles(readCycles + writeCycles);
  orderByFlag(name, HardEvent::S_V);
}

template <typename T>
T sumOf(const T* in, uint32_t count) {
  float total = 0;
  for (uint32_t first = 0; first < count; first += lanesOf<T>) {
    float lanes[128];
    const uint32_t n = std::min(lanesOf<T>, count - first);
    load(lanes, in + first, n);
    const float sum = sumTree<T>(lanes, n);
    total = first == 0 ? sum : rounded<T>(total + sum);
  }
  leave(core->registers.sum, bitsOf<T>(total));
  markSet(Register::Sum);
  return static_cast<T>(total);
}

template <typename T>
Extreme extremeOf(Reduction kind, const T* in, uint32_t count, RepeatOrder& order) {
  Extreme best{0, 0};
  for (uint32_t first = 0; first < count; first += lanesOf<T>) {
    float lanes[128];
    uint32_t n = std::min(lanesOf<T>, count - first);
    load(lanes, in + first, n);
    order.end(first / lanesOf<T>);
    bool hasNan = false;
    float value = kind == Reduction::Max ? extremeValue<true>(lanes, n, hasNan) : extremeValue<false>(lanes, n, hasNan);
    if (first != 0 && !hasNan && !beats(kind, value, best.value)) continue;
    Extreme local = extremeIn(kind, lanes, n);
    if (first == 0 || beats(kind, local.value, best.value)) best = {local.value, first + local.index};
  }
  return best;
}

// The repeats of the first level leave their results, `elements` each, one after the other.
template <typename T>
RepeatOrder orderOfFirstLevel(const char* name, uint32_t repeats, uint8_t* results, uint32_t elements,
                              const Footprint& source) {
  const auto bytes = elements * static_cast<uint32_t>(sizeof(T));
  return {name, repeats, Footprint(results, bytes, {{0, bytes}}), {source}, Parts::Silent};
}

// Sums of repeats, which wait in the temporary tensor and are added as a tree again.
template <typename T>
T sumOfRepeats(T* partial, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeats,
               RepeatOrder& order) {
  float values[128];
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
    partial[repeat] = static_cast<T>(sumTree<T>(values, lanesOf<T>));
    order.end(repeat);
  }
  for (uint32_t left = repeats; left > 1; left = ceilDivide(left, lanesOf<T>)) {
    for (uint32_t first = 0; first < left; first += lanesOf<T>) {
      uint32_t n = std::min(lanesOf<T>, left - first);
      load(values, partial + first, n);
      partial[first / lanesOf<T>] = static_cast<T>(sumTree<T>(values, n));
    }
  }
  return *partial;
}

template <typename T>
void storeExtreme(T* out, const Extreme& best, bool withIndex) {
  out[0] = static_cast<T>(best.value);
  if (withIndex) storeIndex(out + 1, best.index);
}

// What a maximum or minimum of a count is made of. Where the count ends within a repeat, the library reduces the whole repeats
// first and leaves their result in dst: an element of the tail that lies there is overwritten before it is read.
template <typename T>
std::vector<T> elementsSeen(Reduction kind, const T* from, uint32_t count, int64_t dstAt, bool withIndex) {
  std::vector<T> seen(from, from + count);
  RepeatOrder none;
  T body[2];
  storeExtreme(body, extremeOf(kind, from, count / lanesOf<T> * lanesOf<T>, none), withIndex);
  for (int64_t i = 0; i < (withIndex ? 2 : 1); ++i)
    if (dstAt + i >= 0 && dstAt + i < count) seen[static_cast<size_t>(dstAt + i)] = body[i];
  return seen;
}

}  // namespace

namespace vec {

namespace {

template <typename T>
void sumOfLanes(const Operand& src, const Walk& walk, const Lanes& lanes) {
  float total = 0;
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    float values[128];
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
    float sum = sumTree<T>(values, lanesOf<T>);
    total = repeat == 0 ? sum : rounded<T>(total + sum);
  }
  leave(core->registers.sum, bitsOf<T>(total));
}

}  // namespace

template <typename T>
void accumulate(Operand src, const Walk& walk) {
  Lanes lanes = resolveReduction<T>(walk);
  if (lanes.repeats == 0) return;
  markSet(Register::Sum);
  issue({"ReduceSum", Pipe::V, levelCycles(lanes.repeats), wholeCost.tail},
        {{src, reach(walk, lanes, 1, sizeof(T)), reads, "src"}}, [&] { sumOfLanes<T>(src, walk, lanes); });
}

// Where no lane is active, what an earlier sum has left is stored.
template <typename T>
void sumUnderMask(Operand dst, Operand src, const Walk& walk) {
  const char* name = "ReduceSum";
  requireIdsOfEnd(name);
  Lanes lanes = resolveReduction<T>(walk);
  if (lanes.repeats == 0) requireSet(Register::Sum, name);
  markSet(Register::Sum);
  const Extent extents[] = {{dst, sizeof(T), writes, "dst", sizeof(T)},
                            {src, reach(walk, lanes, 1, sizeof(T)), reads, "src"}};
  const LaneMap map{walk, lanes, false, LaneMap::all, sizeof(T)};
  issue(onLanes(map, name, levelCycles(std::max(1u, lanes.repeats)), wholeCost.tail), extents, [&] {
    if (lanes.repeats != 0) sumOfLanes<T>(src, walk, lanes);
    std::memcpy(dst.address, &core->registers.sum.bits, sizeof(T));
  });
  endOnScalarUnit(name, true);
}

template <typename T>
void reduce(Reduction kind, Operand dst, Operand src, Operand work, uint32_t count, bool withIndex) {
  const char* name = nameOf(kind, "ReduceSum", "ReduceMax", "ReduceMin");
  if (static_cast<int32_t>(count) < 0)
    trap({Check::ReduceCount, name, text("the count is %d", static_cast<int32_t>(count)),
          "check the length of the last tile"});
  if (count == 0) return;  // writes nothing
  constexpr uint32_t bytes = sizeof(T);
  const uint32_t whole = count / lanesOf<T>, tail = whole == 0 ? 0 : count % lanesOf<T>,
                 repeats = ceilDivide(count, lanesOf<T>);
  const std::vector<uint32_t> levels =
      kind == Reduction::Sum ? std::vector{repeats} : levelsOf<T>(kind, std::max(1u, whole), withIndex);
  const bool byFlags = takesFlags(std::max(1u, whole), withIndex);
  if (byFlags || tail != 0) requireIdsOfEnd(name);
  const Walk walk = Walk::ofCount(count);
  const Lanes lanes{true, count, lanesOf<T>, repeats, {}, {}};
  uint32_t worked =
      kind == Reduction::Sum ? 0 : std::max(workElements<T>(kind, std::max(1u, whole), withIndex), tail == 0 ? 0u : 2u);
  const Extent extents[] = {{dst, bytes * (withIndex ? 2u : 1u), writes, "dst", bytes},
                            {src, reach(walk, lanes, 1, bytes), reads, "src"},
                            unseenByCompiler({work, worked * bytes, writes, "sharedTmpBuffer", bytes})};
  const LaneMap map{walk, lanes, false, LaneMap::all, extents[0].bytes};
  issue(onLanes(map, name, levelCycles(levels.front()), wholeCost.tail), extents, [&] {
    T* out = reinterpret_cast<T*>(dst.address);
    if (kind == Reduction::Sum) {
      *out = sumOf(reinterpret_cast<const T*>(src.address), count);
      return;
    }
    // a pair that is the only one is in dst at once
    const Extent& pairs = extents[withIndex && whole < 2 ? 0 : 2];
    RepeatOrder order;
    if (meet(pairs, extents[1])) {
      Footprint source(src.address, repeatBytes, {{0, repeatBytes}});
      source.last = {{0, (count - 1) % lanesOf<T> * bytes + bytes}};
      order = orderOfFirstLevel<T>(name, repeats, pairs.operand.address, 2, source);
    }
    const T* from = reinterpret_cast<const T*>(order.source(src.address));
    std::vector<T> seen;
    if (tail != 0 && meet(extents[0], extents[1])) {
      seen = elementsSeen(kind, from, count, (dst.address - src.address) / int64_t{bytes}, withIndex);
      from = seen.data();
    }
    const Extreme best = extremeOf(kind, from, count, order);
    const uint32_t ofLastLevel = repeats == 1 ? best.index : 2 * (best.index / lanesOf<T>);
    keepExtreme<T>({best.value, ofLastLevel});
    if (worked != 0) std::memset(work.address, garbage, worked * bytes);
    storeExtreme(out, best, withIndex);
  });
  issueFurtherLevels<T>(name, levels, extents[0], extents[1]);
  endOnScalarUnit(name, byFlags);
  if (kind != Reduction::Sum && tail != 0) issueExtremeOfTail(name, withIndex, extents[0], extents[1]);
  if (kind == Reduction::Sum) restoreMask();
  else leaveMaskOfExtreme<T>(count);
}

template <typename T>
void reduceRepeats(Reduction kind, Operand dst, Operand src, Operand work, const uint64_t (&mask)[2], int32_t repeats,
                   uint32_t repeatStride, bool withIndex) {
  const char* name = nameOf(kind, "ReduceSum", "ReduceMax", "ReduceMin");
  if (repeats < 0 || repeats > INT32_MAX / 256 || repeatStride > UINT16_MAX)
    trap({Check::RepeatRange, name, text("repeatTime %d or srcRepStride %u is out of range", repeats, repeatStride),
          "reduce at most what is in the unified buffer"});
  uint64_t active[2];
  maskOfLanes(lanesOf<T>, active);
  for (int i = 0; i < 2; ++i) active[i] &= mask[i];
  if (repeats == 0 || (active[0] | active[1]) == 0) return;
  auto count = static_cast<uint32_t>(repeats);
  // sums of so many repeats that these have several sums end in dst at once
  const bool byFlags = kind == Reduction::Sum ? ceilDivide(count, lanesOf<T>) == 1 : takesFlags(count, withIndex);
  if (byFlags) requireIdsOfEnd(name);
  Walk walk{Walk::Repeats, false, 1, 0, {0, 0}, {1, 1, 1}, {1, static_cast<uint16_t>(repeatStride), 8}};
  Lanes lanes{false, 0, lanesOf<T>, count, {active[0], active[1]}, {active[0], active[1]}};
  constexpr uint32_t bytes = sizeof(T);
  const uint32_t worked = workElements<T>(kind, count, withIndex) * bytes;
  const Extent extents[] = {{dst, bytes * (withIndex ? 2u : 1u), writes, "dst", bytes},
                            {src, reach(walk, lanes, 1, bytes), reads, "src"},
                            unseenByCompiler({work, worked, writes, "sharedTmpBuffer", bytes})};
  const LaneMap map{walk, lanes, false, LaneMap::all, extents[0].bytes};
  issue(onLanes(map, name, levelCycles(count), wholeCost.tail), extents, [&] {
    T* out = reinterpret_cast<T*>(dst.address);
    RepeatOrder order;
    if (meet(extents[2], extents[1]))
      order = orderOfFirstLevel<T>(name, count, work.address, kind == Reduction::Sum ? 1 : 2,
                                   Footprint(src, walk, lanes, 1, bytes));
    const Operand from = order.source(src);
    if (kind == Reduction::Sum) {
      *out = sumOfRepeats(reinterpret_cast<T*>(work.address), from, walk, active, count, order);
      return;
    }
    Extreme best{0, 0};
    uint32_t winner = 0;
    for (uint32_t repeat = 0; repeat < count; ++repeat) {
      Extreme local = extremeOf<T>(kind, from, walk, active, repeat);
      order.end(repeat);
      if (repeat != 0 && !beats(kind, local.value, best.value)) continue;
      best = {local.value, static_cast<uint32_t>(repeat * repeatStride * (blockBytes / sizeof(T))) + local.index};
      winner = repeat;
    }
    keepExtreme<T>({best.value, count == 1 ? best.index : 2 * winner});
    if (worked != 0) std::memset(work.address, garbage, worked);
    storeExtreme(out, best, withIndex);
  });
  issueFurtherLevels<T>(name, levelsOf<T>(kind, count, withIndex), extents[0], extents[1]);
  endOnScalarUnit(name, byFlags);
  leaveMaskOfRepeats(kind, mask, count);
}

namespace {
template <typename... T>
constexpr auto reductions(Types<T...>) {
  return std::make_tuple(&reduce<T>..., &reduceRepeats<T>..., &accumulate<T>..., &sumUnderMask<T>...);
}
constexpr auto instantiated = asTuple(reductions(isa::Floating{}));
const OffersOf<instantiated> offered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
