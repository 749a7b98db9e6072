// Reductions. Sums are binary trees over adjacent lanes, rounded at every step in the element type.
#include <tuple>

#include "numerics.h"
#include "walk.h"

namespace npu_emu {

namespace {

using vec::Reduction;
using AscendC::ReduceOrder;

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

template <typename T>
void storeIndex(T* out, uint32_t index) {
  if constexpr (sizeof(T) == 2) *out = bitCast<T>(static_cast<uint16_t>(index));
  else *out = bitCast<T>(index);
}

template <typename T>
constexpr uint32_t lanesOf = repeatBytes / sizeof(T);

// Loads the active lanes of one repeat; inactive ones become `filler`.
template <typename T>
uint32_t loadRepeat(float* out, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeat, float filler) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  uint32_t active = 0;
  for (uint32_t lane = 0; lane < lanesOf<T>; ++lane) {
    bool on = mask[lane / 64] >> (lane % 64) & 1;
    active += on;
    const uint8_t* address = src.address + (size_t(repeat) * walk.repeatStride[1] + size_t(lane / perBlock) * walk.blockStride[1]) * blockBytes + size_t(lane % perBlock) * sizeof(T);
    out[lane] = on ? static_cast<float>(*reinterpret_cast<const T*>(address)) : filler;
  }
  return active;
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

template <typename T>
void begin(const char* name, const Cost& cost, const Lanes& lanes, const Walk& walk, Operand dst, uint32_t dstBytes, uint16_t dstAlignment, Operand src) {
  Extent extents[] = {{dst, lanes.repeats == 0 ? 0 : dstBytes, true, dstAlignment, "dst"},
                      {src, reach(walk, lanes, 1, sizeof(T)), false, blockBytes, "src"}};
  for (const Extent& extent : extents) checkLocal(name, extent, Memory::UB);
  float cycles = sizeof(T) == 2 ? cost.c16 : cost.c32;
  recordVector(std::max<uint32_t>(3, static_cast<uint32_t>(cycles * static_cast<float>(lanes.repeats))), cost.tail, extents, 2);
}

template <typename T>
Extreme extremeOf(Reduction kind, const Operand& src, const Walk& walk, const uint64_t* mask, uint32_t repeat) {
  float values[128];
  loadRepeat<T>(values, src, walk, mask, repeat, 0);
  Extreme best{0, 0};
  bool any = false;
  for (uint32_t lane = 0; lane < lanesOf<T>; ++lane) {
    if ((mask[lane / 64] >> (lane % 64) & 1) == 0) continue;
    if (!any || beats(kind, values[lane], best.value)) best = {values[lane], lane};
    any = true;
  }
  return best;
}

const char* nameOf(Reduction kind, const char* sum, const char* max, const char* min) {
  return kind == Reduction::Sum ? sum : kind == Reduction::Max ? max : min;
}

}  // namespace

namespace vec {

template <typename T>
void reduce(Reduction kind, Operand dst, Operand src, Operand work, uint32_t count, bool withIndex) {
  const char* name = nameOf(kind, "ReduceSum", "ReduceMax", "ReduceMin");
  if (static_cast<int32_t>(count) < 0) trap({"ReduceCount", name, text("the count is %d", static_cast<int32_t>(count)), "check the length of the last tile"});
  if (count == 0) return;  // writes nothing
  Extent extents[] = {{dst, static_cast<uint32_t>(sizeof(T)) * (withIndex ? 2u : 1u), true, sizeof(T), "dst"},
                      {src, count * static_cast<uint32_t>(sizeof(T)), false, blockBytes, "src"},
                      {work, kind == Reduction::Sum ? 0u : static_cast<uint32_t>(sizeof(T)), true, sizeof(T), "sharedTmpBuffer"}};
  for (const Extent& extent : extents) checkLocal(name, extent, Memory::UB);
  uint32_t repeats = (count + lanesOf<T> - 1) / lanesOf<T>;
  recordVector(7 * repeats, wholeCost.tail, extents, 2);
  // The library reads the total through the scalar unit and stores it back.
  recordOrder(Pipe::V, Pipe::S);
  recordScalar(60);
  recordOrder(Pipe::S, Pipe::V);
  const T* in = reinterpret_cast<const T*>(src.address);
  T* out = reinterpret_cast<T*>(dst.address);
  if (kind == Reduction::Sum) {
    float total = 0;
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
      float lanes[128];
      uint32_t n = std::min(lanesOf<T>, count - repeat * lanesOf<T>);
      for (uint32_t i = 0; i < n; ++i) lanes[i] = static_cast<float>(in[repeat * lanesOf<T> + i]);
      float sum = sumTree<T>(lanes, n);
      total = repeat == 0 ? sum : rounded<T>(total + sum);
    }
    *out = static_cast<T>(total);
    return;
  }
  Extreme best{static_cast<float>(in[0]), 0};
  for (uint32_t i = 1; i < count; ++i)
    if (beats(kind, static_cast<float>(in[i]), best.value)) best = {static_cast<float>(in[i]), i};
  out[0] = static_cast<T>(best.value);
  if (withIndex) storeIndex(out + 1, best.index);
}

template <typename T>
void reduceRepeat(Reduction kind, Operand dst, Operand src, const Walk& walk, ReduceOrder order) {
  const char* name = nameOf(kind, "WholeReduceSum", "WholeReduceMax", "WholeReduceMin");
  Lanes lanes = resolveReduction<T>(walk);
  bool pair = kind != Reduction::Sum && (order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE);
  bool indexOnly = kind != Reduction::Sum && order == ReduceOrder::ORDER_ONLY_INDEX;
  uint32_t unit = pair ? 2 * sizeof(T) : indexOnly ? 4 : sizeof(T);
  uint32_t written = lanes.repeats == 0 ? 0 : (lanes.repeats - 1) * walk.repeatStride[0] * unit + unit;
  begin<T>(name, wholeCost, lanes, walk, dst, written, static_cast<uint16_t>(unit), src);
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
}

template <typename T>
void reduceBlock(Reduction kind, Operand dst, Operand src, const Walk& walk) {
  const char* name = nameOf(kind, "BlockReduceSum", "BlockReduceMax", "BlockReduceMin");
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  Lanes lanes = resolveReduction<T>(walk);
  uint32_t stride = walk.repeatStride[0] * 8u * static_cast<uint32_t>(sizeof(T));
  uint32_t written = lanes.repeats == 0 ? 0 : (lanes.repeats - 1) * stride + 8 * static_cast<uint32_t>(sizeof(T));
  begin<T>(name, blockCost, lanes, walk, dst, written, static_cast<uint16_t>(8 * sizeof(T)), src);
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    float values[128];
    loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
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
}

template <typename T>
void reducePair(Operand dst, Operand src, const Walk& walk) {
  Lanes lanes = resolveReduction<T>(walk);
  uint32_t stride = walk.repeatStride[0] * (repeatBytes / 2);
  uint32_t written = lanes.repeats == 0 ? 0 : (lanes.repeats - 1) * stride + repeatBytes / 2;
  begin<T>("PairReduceSum", pairCost, lanes, walk, dst, written, blockBytes, src);
  for (uint32_t repeat = 0; repeat < lanes.repeats; ++repeat) {
    const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
    float values[128];
    loadRepeat<T>(values, src, walk, mask, repeat, -0.0f);
    for (uint32_t i = 0; i < lanesOf<T>; i += 2) {
      if ((mask[i / 64] >> (i % 64) & 3) == 0) continue;
      reinterpret_cast<T*>(dst.address + size_t(repeat) * stride)[i / 2] = static_cast<T>(values[i] + values[i + 1]);
    }
  }
}

namespace {
template <typename... T>
constexpr auto reductions(Types<T...>) {
  return std::make_tuple(&reduce<T>..., &reduceRepeat<T>..., &reduceBlock<T>..., &reducePair<T>...);
}
[[gnu::used]] const auto instantiated = reductions(isa::Floating{});
}  // namespace

void setMask(uint64_t high, uint64_t low) {
  core->mask[0] = low;
  core->mask[1] = high;
  recordScalar(1);
}

void setMaskCounter(bool counter) {
  core->maskCounter = counter;
  recordScalar(1);
}

}  // namespace vec
}  // namespace npu_emu
