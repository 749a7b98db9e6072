// Reductions. Sums are binary trees over adjacent lanes, rounded at every step in the element type.
#include <tuple>

#include "device.h"
#include "numerics.h"
#include "walk.h"

namespace npu_emu {

namespace {

using AscendC::ReduceOrder;
using vec::Reduction;

constexpr Cost wholeCost{7, 7, 33}, blockCost{7, 1, 25}, pairCost{1, 1, 19};

template <typename T>
float rounded(float value) {
  return static_cast<float>(static_cast<T>(value));
}

// Sums in place; lanes that take no part hold -0, which changes no sum. Returns the total.
template <typename T>
float sumTree(float* lanes, size_t n) {
  for (; n > 1; n = (n + 1) / 2) {
    size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; ++i) lanes[i] = rounded<T>(lanes[2 * i] + lanes[2 * i + 1]);
    if (n % 2 != 0) lanes[pairs] = lanes[n - 1];
  }
  return lanes[0];
}

// The first levels of the tree over whole groups of `group` lanes, a power of two: out[i] is the sum of group i. Levels
// go from one buffer to the other, so that compilers see that none changes what it reads; the result is in one of them.
template <typename T, uint32_t lanes>
const float* sumGroups(float (&values)[128], float (&other)[128], uint32_t group) {
  float *from = values, *to = other;
  for (uint32_t n = lanes / 2; group > 1; group /= 2, n /= 2) {
    const float* __restrict in = from;
    float* __restrict out = to;
    for (uint32_t i = 0; i < n; ++i) out[i] = in[2 * i] + in[2 * i + 1];
    if constexpr (sizeof(T) == 2) {
      T rounded[lanes / 2];
      narrow(rounded, out, n);
      widen(out, rounded, n);
    }
    std::swap(from, to);
  }
  return from;
}

struct Extreme {
  float value;
  uint32_t index;
};

// The lowest index wins ties, NaN wins over numbers.
bool beats(Reduction kind, float challenger, float holder) {
  if (holder != holder) return false;
  if (challenger != challenger) return true;
  return kind == Reduction::Max ? challenger > holder : challenger < holder;
}

// The extreme of n values and whether one of them is NaN. Which of +0 and -0 it is says nothing: the first of equals
// counts.
template <bool max>
float extremeValue(const float* values, uint32_t n, bool& hasNan) {
  constexpr uint32_t width = 16;
  float best[width];
  uint32_t nans = 0, i = 0;
  for (float& value : best) value = values[0];
  for (; i + width <= n; i += width) {
    for (uint32_t j = 0; j < width; ++j) {
      float value = values[i + j];
      best[j] = (max ? value > best[j] : value < best[j]) ? value : best[j];
      nans += value != value ? 1 : 0;
    }
  }
  for (; i < n; ++i) {
    best[0] = (max ? values[i] > best[0] : values[i] < best[0]) ? values[i] : best[0];
    nans += values[i] != values[i] ? 1 : 0;
  }
  for (uint32_t j = 1; j < width; ++j) best[0] = (max ? best[j] > best[0] : best[j] < best[0]) ? best[j] : best[0];
  hasNan = nans != 0;
  return best[0];
}

// The first of the values that none beats.
Extreme extremeIn(Reduction kind, const float* values, uint32_t n) {
  bool hasNan = false;
  float best = kind == Reduction::Max ? extremeValue<true>(values, n, hasNan) : extremeValue<false>(values, n, hasNan);
  uint32_t index = 0;
  while (hasNan ? values[index] == values[index] : values[index] != best) ++index;
  return {values[index], index};
}

template <typename T>
void storeIndex(T* out, uint32_t index) {
  if constexpr (sizeof(T) == 2) *out = bitCast<T>(static_cast<uint16_t>(index));
  else *out = bitCast<T>(index);
}

template <typename T>
uint64_t bitsOf(float value) {
  if constexpr (sizeof(T) == 2) return bitCast<uint16_t>(static_cast<T>(value));
  else return bitCast<uint32_t>(value);
}

template <typename T>
void keepExtreme(const Extreme& best) {
  core->registers.extreme = bitsOf<T>(best.value) | uint64_t(best.index) << 32;
}

template <typename T>
constexpr uint32_t lanesOf = repeatBytes / sizeof(T);

template <typename T>
void load(float* out, const T* in, size_t n) {
  if constexpr (sizeof(T) == 2) widen(out, in, n);
  else std::memcpy(out, in, n * sizeof(float));
}

// Loads the active lanes of one repeat; inactive ones become `filler`.
template <typename T>
void loadRepeat(float* out, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeat, float filler) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  const uint8_t* first = src.address + size_t(repeat) * walk.repeatStride[1] * blockBytes;
  uint64_t all[2];
  maskOfLanes(lanesOf<T>, all);
  if (walk.blockStride[1] == 1 && mask[0] == all[0] && mask[1] == all[1])
    return load(out, reinterpret_cast<const T*>(first), lanesOf<T>);
  for (uint32_t block = 0; block < blocksPerRepeat; ++block) {
    uint32_t lane = block * perBlock;
    const T* in = reinterpret_cast<const T*>(first + size_t(block) * walk.blockStride[1] * blockBytes);
    constexpr uint64_t whole = (uint64_t(1) << perBlock) - 1;
    uint64_t active = mask[lane / 64] >> (lane % 64) & whole;
    if (active == whole) {
      load(out + lane, in, perBlock);
      continue;
    }
    for (uint32_t i = 0; i < perBlock; ++i) out[lane + i] = active >> i & 1 ? static_cast<float>(in[i]) : filler;
  }
}

// Resolves the lanes of a repeat-wise reduction; the destination has a layout of its own.
template <typename T>
Lanes resolveReduction(const Walk& walk) {
  constexpr uint32_t width = sizeof(T);
  uint32_t widths[] = {width};
  Walk source = walk;
  source.blockStride[0] = walk.blockStride[1];
  source.repeatStride[0] = walk.repeatStride[1];
  Lanes lanes = resolve(source, width, widths, 1);
  if (lanes.contiguous) {
    lanes.contiguous = false;
    lanes.repeats = static_cast<uint32_t>((lanes.total + lanesOf<T> - 1) / lanesOf<T>);
    if (lanes.lastMask[0] == 0) maskOfLanes(lanesOf<T>, lanes.lastMask);
    maskOfLanes(lanesOf<T>, lanes.mask);
  }
  return lanes;
}

// Whether every repeat takes as many lanes, the first ones of it, and none that another one takes: equal shares of the
// source.
template <typename T>
bool takesEqualShares(const Walk& walk, const Lanes& lanes) {
  uint32_t bytes = highestLane(lanes.mask) * static_cast<uint32_t>(sizeof(T)),
           stride = walk.repeatStride[1] * blockBytes;
  bool apart = lanes.repeats < 2 || stride == bytes || stride > ceilDivide(bytes, blockBytes) * blockBytes;
  if (walk.blockStride[1] != 1 || !apart) return false;
  uint64_t first[2];
  maskOfLanes(highestLane(lanes.mask), first);
  bool sameLast = lanes.lastMask[0] == lanes.mask[0] && lanes.lastMask[1] == lanes.mask[1];
  return sameLast && first[0] == lanes.mask[0] && first[1] == lanes.mask[1];
}

// What a reduction of repeats writes. `unit`: bytes of one result where they lie densely, else 0.
struct Results {
  Operand dst;
  uint32_t bytes;
  uint16_t alignment;
  uint32_t unit;
};

template <typename T, typename Body>
void issueReduction(const char* name, const Cost& cost, const Lanes& lanes, const Walk& walk, const Results& results,
                    Operand src, const Body& body) {
  const float cycles = (sizeof(T) == 2 ? cost.c16 : cost.c32) * static_cast<float>(lanes.repeats);
  Instruction instruction{name, Pipe::V, std::max<uint32_t>(3, static_cast<uint32_t>(cycles)), cost.tail};
  if (takesEqualShares<T>(walk, lanes)) instruction.resultBytes = results.unit;
  issue(instruction,
        {{results.dst, lanes.repeats == 0 ? 0 : results.bytes, writes, "dst", results.alignment},
         {src, reach(walk, lanes, 1, sizeof(T)), reads, "src"}},
        body);
}

template <typename T>
Extreme extremeOf(Reduction kind, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeat) {
  float values[128];
  loadRepeat<T>(values, src, walk, mask, repeat, 0);
  uint64_t whole[2];
  maskOfLanes(lanesOf<T>, whole);
  if (mask[0] == whole[0] && mask[1] == whole[1]) return extremeIn(kind, values, lanesOf<T>);
  // the others move together, so that neither their filler nor their place counts
  uint32_t lanes[128], n = 0;
  for (uint32_t lane = 0; lane < lanesOf<T>; ++lane) {
    if ((mask[lane / 64] >> (lane % 64) & 1) == 0) continue;
    values[n] = values[lane];
    lanes[n++] = lane;
  }
  if (n == 0) return {0, 0};
  Extreme best = extremeIn(kind, values, n);
  return {best.value, lanes[best.index]};
}

const char* nameOf(Reduction kind, const char* sum, const char* max, const char* min) {
  return kind == Reduction::Sum ? sum : kind == Reduction::Max ? max : min;
}

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

// The library ends a reduction on the scalar unit: the result is read and stored back.
void endOnScalarUnit() {
  orderPipes(Pipe::V, Pipe::S);
  scalarCycles(60);
  orderPipes(Pipe::S, Pipe::V);
}

constexpr uint32_t levelCycles(uint32_t repeats) { return static_cast<uint32_t>(wholeCost.c32) * repeats; }

// The instructions after the first one of a reduction, one for each further level: each turns `lanesOf` values into
// one.
template <typename T>
void issueFurtherLevels(const char* name, uint32_t repeats, const Extent& dst, const Extent& src) {
  for (uint32_t left = repeats; left != 1;) {
    left = ceilDivide(left, lanesOf<T>);
    issue({name, Pipe::V, levelCycles(left), wholeCost.tail}, {onlyForCompiler(dst), onlyForCompiler(src)}, [] {});
  }
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
  core->registers.sum = bitsOf<T>(total);
  return static_cast<T>(total);
}

template <typename T>
Extreme extremeOf(Reduction kind, const T* in, uint32_t count) {
  Extreme best{0, 0};
  for (uint32_t first = 0; first < count; first += lanesOf<T>) {
    float lanes[128];
    uint32_t n = std::min(lanesOf<T>, count - first);
    load(lanes, in + first, n);
    bool hasNan = false;
    float value = kind == Reduction::Max ? extremeValue<true>(lanes, n, hasNan) : extremeValue<false>(lanes, n, hasNan);
    if (first != 0 && !hasNan && !beats(kind, value, best.value)) continue;
    Extreme local = extremeIn(kind, lanes, n);
    if (first == 0 || beats(kind, local.value, best.value)) best = {local.value, first + local.index};
  }
  return best;
}

// Sums of repeats, which wait in the temporary tensor and are added as a tree again.
template <typename T>
T sumOfRepeats(T* partial, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeats) {
  float values[128];
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
    partial[repeat] = static_cast<T>(sumTree<T>(values, lanesOf<T>));
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

}  // namespace

namespace vec {

template <typename T>
void accumulate(Operand src, const Walk& walk) {
  Lanes lanes = resolveReduction<T>(walk);
  if (lanes.repeats == 0) return;
  issue({"ReduceSum", Pipe::V, levelCycles(lanes.repeats), wholeCost.tail},
        {{src, reach(walk, lanes, 1, sizeof(T)), reads, "src"}}, [&] {
          float total = 0;
          for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
            float values[128];
            const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
            loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
            float sum = sumTree<T>(values, lanesOf<T>);
            total = repeat == 0 ? sum : rounded<T>(total + sum);
          }
          core->registers.sum = bitsOf<T>(total);
        });
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
  uint32_t worked =
      kind == Reduction::Sum ? 0 : std::max(workElements<T>(kind, std::max(1u, whole), withIndex), tail == 0 ? 0u : 2u);
  const Extent extents[] = {{dst, bytes * (withIndex ? 2u : 1u), writes, "dst", bytes},
                            {src, count * bytes, reads, "src"},
                            unseenByCompiler({work, worked * bytes, writes, "sharedTmpBuffer", bytes})};
  Instruction instruction{name, Pipe::V, levelCycles(repeats), wholeCost.tail};
  instruction.resultBytes = extents[0].bytes;
  issue(instruction, extents, [&] {
    const T* in = reinterpret_cast<const T*>(src.address);
    T* out = reinterpret_cast<T*>(dst.address);
    if (kind == Reduction::Sum) {
      *out = sumOf(in, count);
      return;
    }
    const Extreme best = extremeOf(kind, in, count);
    const uint32_t ofLastLevel = repeats == 1 ? best.index : 2 * (best.index / lanesOf<T>);
    keepExtreme<T>({best.value, ofLastLevel});
    storeExtreme(out, best, withIndex);
  });
  if (kind != Reduction::Sum) issueFurtherLevels<T>(name, repeats, extents[0], extents[1]);
  endOnScalarUnit();
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
  Walk walk{Walk::Repeats, false, 1, 0, {0, 0}, {1, 1, 1}, {1, static_cast<uint16_t>(repeatStride), 8}};
  Lanes lanes{false, 0, lanesOf<T>, count, {active[0], active[1]}, {active[0], active[1]}};
  constexpr uint32_t bytes = sizeof(T);
  const uint32_t worked = workElements<T>(kind, count, withIndex) * bytes;
  const Extent extents[] = {{dst, bytes * (withIndex ? 2u : 1u), writes, "dst", bytes},
                            {src, reach(walk, lanes, 1, bytes), reads, "src"},
                            unseenByCompiler({work, worked, writes, "sharedTmpBuffer", bytes})};
  Instruction instruction{name, Pipe::V, levelCycles(count), wholeCost.tail};
  if (takesEqualShares<T>(walk, lanes)) instruction.resultBytes = extents[0].bytes;
  issue(instruction, extents, [&] {
    maskOfLanes(128, core->mask);
    core->maskCounter = false;
    T* out = reinterpret_cast<T*>(dst.address);
    if (kind == Reduction::Sum) {
      *out = sumOfRepeats(reinterpret_cast<T*>(work.address), src, walk, active, count);
      return;
    }
    Extreme best{0, 0};
    uint32_t winner = 0;
    for (uint32_t repeat = 0; repeat < count; ++repeat) {
      Extreme local = extremeOf<T>(kind, src, walk, active, repeat);
      if (repeat != 0 && !beats(kind, local.value, best.value)) continue;
      best = {local.value, static_cast<uint32_t>(repeat * repeatStride * (blockBytes / sizeof(T))) + local.index};
      winner = repeat;
    }
    keepExtreme<T>({best.value, count == 1 ? best.index : 2 * winner});
    storeExtreme(out, best, withIndex);
  });
  issueFurtherLevels<T>(name, count, extents[0], extents[1]);
  endOnScalarUnit();
}

namespace {

uint64_t readRegister(uint64_t value) {
  if (device.request->autoSync) orderAutomatically(Pipe::V, Pipe::S);
  scalarCycles(1);
  return value;
}

}  // namespace

uint64_t sumRegister() { return readRegister(core->registers.sum); }
uint64_t extremeRegister() { return readRegister(core->registers.extreme); }
uint64_t mergeRegister() { return readRegister(core->registers.merged); }
uint64_t keptRegister() { return readRegister(core->registers.kept); }

template <typename T>
void reduceRepeat(Reduction kind, Operand dst, Operand src, const Walk& walk, ReduceOrder order) {
  const char* name = nameOf(kind, "WholeReduceSum", "WholeReduceMax", "WholeReduceMin");
  Lanes lanes = resolveReduction<T>(walk);
  bool pair =
      kind != Reduction::Sum && (order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE);
  bool indexOnly = kind != Reduction::Sum && order == ReduceOrder::ORDER_ONLY_INDEX;
  uint32_t unit = pair ? 2 * sizeof(T) : indexOnly ? 4 : sizeof(T);
  uint32_t written = lanes.repeats == 0 ? 0 : (lanes.repeats - 1) * walk.repeatStride[0] * unit + unit;
  const Results results{dst, written, static_cast<uint16_t>(unit), walk.repeatStride[0] == 1 ? unit : 0};
  issueReduction<T>(name, wholeCost, lanes, walk, results, src, [&] {
    Extreme overall{0, 0};
    for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
      const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
      uint8_t* out = dst.address + size_t(repeat) * walk.repeatStride[0] * unit;
      if (kind == Reduction::Sum) {
        float values[128];
        loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
        *reinterpret_cast<T*>(out) = static_cast<T>(sumTree<T>(values, lanesOf<T>));
        continue;
      }
      Extreme best = extremeOf<T>(kind, src, walk, mask, repeat);
      if (repeat == 0 || beats(kind, best.value, overall.value))
        overall = {best.value, repeat * lanesOf<T> + best.index};
      T* pairOut = reinterpret_cast<T*>(out);
      if (indexOnly) {
        std::memcpy(out, &best.index, sizeof best.index);
      } else if (!pair) {
        *pairOut = static_cast<T>(best.value);
      } else {
        bool valueFirst = order == ReduceOrder::ORDER_VALUE_INDEX;
        pairOut[valueFirst ? 0 : 1] = static_cast<T>(best.value);
        storeIndex(pairOut + (valueFirst ? 1 : 0), best.index);
      }
    }
    if (kind != Reduction::Sum && lanes.repeats != 0) keepExtreme<T>(overall);
  });
}

template <typename T>
void reduceBlock(Reduction kind, Operand dst, Operand src, const Walk& walk) {
  const char* name = nameOf(kind, "BlockReduceSum", "BlockReduceMax", "BlockReduceMin");
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  Lanes lanes = resolveReduction<T>(walk);
  uint32_t stride = walk.repeatStride[0] * 8u * static_cast<uint32_t>(sizeof(T));
  uint32_t written = lanes.repeats == 0 ? 0 : (lanes.repeats - 1) * stride + 8 * static_cast<uint32_t>(sizeof(T));
  uint64_t whole[2];
  maskOfLanes(lanesOf<T>, whole);
  bool all = lanes.mask[0] == whole[0] && lanes.mask[1] == whole[1];
  const Results results{dst, written, static_cast<uint16_t>(8 * sizeof(T)),
                        all && walk.repeatStride[0] == 1 ? static_cast<uint32_t>(sizeof(T)) : 0};
  issueReduction<T>(name, blockCost, lanes, walk, results, src, [&] {
    for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
      const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
      float values[128], other[128];
      loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
      if (kind == Reduction::Sum && mask[0] == whole[0] && mask[1] == whole[1]) {
        const float* sums = sumGroups<T, lanesOf<T>>(values, other, perBlock);
        T* out = reinterpret_cast<T*>(dst.address + size_t(repeat) * stride);
        for (uint32_t block = 0; block < blocksPerRepeat; ++block) out[block] = static_cast<T>(sums[block]);
        continue;
      }
      for (uint32_t block = 0; block < blocksPerRepeat; ++block) {
        uint32_t first = block * perBlock;
        uint64_t active = mask[first / 64] >> (first % 64) & ((uint64_t(1) << perBlock) - 1);
        if (active == 0) continue;  // a fully masked block leaves its result untouched
        float result;
        if (kind == Reduction::Sum) {
          result = sumTree<T>(values + first, perBlock);
        } else {
          bool any = false;
          result = 0;
          for (uint32_t i = 0; i < perBlock; ++i) {
            if ((active >> i & 1) == 0) continue;
            if (!any || beats(kind, values[first + i], result)) result = values[first + i];
            any = true;
          }
        }
        reinterpret_cast<T*>(dst.address + size_t(repeat) * stride)[block] = static_cast<T>(result);
      }
    }
  });
}

template <typename T>
void reducePair(Operand dst, Operand src, const Walk& walk) {
  Lanes lanes = resolveReduction<T>(walk);
  uint32_t stride = walk.repeatStride[0] * (repeatBytes / 2);
  uint32_t written = lanes.repeats == 0 ? 0 : (lanes.repeats - 1) * stride + repeatBytes / 2;
  const bool isDense = walk.repeatStride[0] == 1 && highestLane(lanes.mask) == lanesOf<T>;
  const Results results{dst, written, blockBytes, isDense ? static_cast<uint32_t>(sizeof(T)) : 0};
  issueReduction<T>("PairReduceSum", pairCost, lanes, walk, results, src, [&] {
    for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
      const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
      float values[128];
      loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
      for (uint32_t i = 0; i < lanesOf<T>; i += 2) {
        if ((mask[i / 64] >> (i % 64) & 3) == 0) continue;
        reinterpret_cast<T*>(dst.address + size_t(repeat) * stride)[i / 2] = static_cast<T>(values[i] + values[i + 1]);
      }
    }
  });
}

namespace {
template <typename... T>
constexpr auto reductions(Types<T...>) {
  return std::make_tuple(&reduce<T>..., &reduceRepeat<T>..., &reduceBlock<T>..., &reducePair<T>...,
                         &reduceRepeats<T>..., &accumulate<T>...);
}
[[gnu::used]] const auto instantiated = reductions(isa::Floating{});
}  // namespace

void setMask(uint64_t high, uint64_t low) {
  core->mask[0] = low;
  core->mask[1] = high;
  scalarCycles(1);
}

void setMaskCounter(bool counter) {
  core->maskCounter = counter;
  scalarCycles(1);
}

}  // namespace vec
}  // namespace npu_emu
