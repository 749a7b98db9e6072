// Reductions of each repeat: to one result, to one for each block, or to one for each pair of lanes.
#include <tuple>

#include "reduction_lanes.h"
#include "repeat_order.h"
#include "api_calls.h"

namespace npu_emu {

using namespace reduction;

namespace {

using AscendC::ReduceOrder;

// What a reduction of repeats writes.
struct Results {
  Operand dst;
  Reach bytes;
  uint16_t alignment;
  uint32_t lanes, unit;     // lanes that make a result, and its bytes
  uint32_t ofRepeat, step;  // bytes of the results of a repeat, and from those of one to those of the next
};

template <typename T, typename Body>
void issueReduction(const char* name, const Cost& cost, const Lanes& lanes, const Walk& walk, const Results& results,
                    Operand src, const Body& body) {
  const float cycles = (sizeof(T) == 2 ? cost.c16 : cost.c32) * static_cast<float>(lanes.repeats);
  const LaneMap map{walk, lanes, false, results.lanes, results.unit, results.step};
  const Extent extents[] = {{results.dst, results.bytes, writes, "dst", results.alignment},
                            {src, reach(walk, lanes, 1, sizeof(T)), reads, "src"}};
  issue(onLanes(map, name, std::max<uint32_t>(3, static_cast<uint32_t>(cycles)), cost.tail), extents, [&] {
    RepeatOrder order;
    if (meet(extents[0], extents[1]))
      order = RepeatOrder(name, lanes.repeats,
                          Footprint(results.dst.address, results.step, {{results.bytes.begin, results.ofRepeat}}),
                          {Footprint(src, walk, lanes, 1, sizeof(T))}, Parts::Silent);
    body(order.source(src), order);
  });
}

// Where the results of groups of lanes go, repeat by repeat: a group of which no lane is active has none.
Reach resultsOf(const Lanes& lanes, uint32_t lanesPerResult, uint32_t resultBytes, uint32_t stride) {
  const uint32_t repeats = lanes.repeats;
  if (repeats == 0) return 0u;
  const auto resultsIn = [&](const uint64_t(&mask)[2]) { return ceilDivide(highestLane(mask), lanesPerResult); };
  const uint32_t ofLast = resultsIn(lanes.lastMask), most = repeats == 1 ? ofLast : resultsIn(lanes.mask),
                 first = lowestLane(lanes.mask) / lanesPerResult * resultBytes;
  Reach results = Reach::strided(most * resultBytes - first, repeats, stride);
  results.begin = first;
  const uint32_t last = (repeats - 1) * stride + ofLast * resultBytes;
  results.bytes = repeats == 1 ? last : std::max(last, (repeats - 2) * stride + most * resultBytes);
  if (results.runs.isOne()) results.runs.bytes = results.bytes - first;
  return results;
}

}  // namespace

namespace vec {

template <typename T>
void reduceRepeat(Reduction kind, Operand dst, Operand src, const Walk& walk, ReduceOrder order) {
  const char* name = nameOf(kind, "WholeReduceSum", "WholeReduceMax", "WholeReduceMin");
  Lanes lanes = resolveReduction<T>(walk);
  bool pair =
      kind != Reduction::Sum && (order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE);
  bool indexOnly = kind != Reduction::Sum && order == ReduceOrder::ORDER_ONLY_INDEX;
  uint32_t unit = pair ? 2 * sizeof(T) : indexOnly ? 4 : sizeof(T);
  const Reach written = Reach::strided(unit, lanes.repeats, uint64_t(walk.repeatStride[0]) * unit);
  const Results results{dst, written, static_cast<uint16_t>(unit), lanesOf<T>, unit, unit, walk.repeatStride[0] * unit};
  issueReduction<T>(name, wholeCost, lanes, walk, results, src, [&](const Operand& from, RepeatOrder& turns) {
    Extreme overall{0, 0};
    for (uint32_t repeat = 0; repeat < lanes.repeats; turns.end(repeat++)) {
      const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
      uint8_t* out = dst.address + size_t(repeat) * walk.repeatStride[0] * unit;
      if (kind == Reduction::Sum) {
        float values[128];
        loadRepeat<T>(values, from, walk, mask, repeat, -0.0f);
        *reinterpret_cast<T*>(out) = static_cast<T>(sumTree<T>(values, lanesOf<T>));
        continue;
      }
      Extreme best = extremeOf<T>(kind, from, walk, mask, repeat);
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
  const Reach written = resultsOf(lanes, perBlock, sizeof(T), stride);
  uint64_t whole[2];
  maskOfLanes(lanesOf<T>, whole);
  const Results results{
      dst,
      written,
      static_cast<uint16_t>(8 * sizeof(T)),
      perBlock,
      sizeof(T),
      ceilDivide(highestLane(lanes.mask), perBlock) * static_cast<uint32_t>(sizeof(T)) - written.begin,
      stride};
  issueReduction<T>(name, blockCost, lanes, walk, results, src, [&](const Operand& from, RepeatOrder& turns) {
    for (uint32_t repeat = 0; repeat < lanes.repeats; turns.end(repeat++)) {
      const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
      float values[128], other[128];
      loadRepeat<T>(values, from, walk, mask, repeat, -0.0f);
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
  const Reach written = resultsOf(lanes, 2, sizeof(T), stride);
  const Results results{
      dst,   written,   blockBytes,
      2,     sizeof(T), ceilDivide(highestLane(lanes.mask), 2) * static_cast<uint32_t>(sizeof(T)) - written.begin,
      stride};
  issueReduction<T>("PairReduceSum", pairCost, lanes, walk, results, src, [&](const Operand& from, RepeatOrder& turns) {
    for (uint32_t repeat = 0; repeat < lanes.repeats; turns.end(repeat++)) {
      const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
      float values[128];
      loadRepeat<T>(values, from, walk, mask, repeat, -0.0f);
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
  return std::make_tuple(&reduceRepeat<T>..., &reduceBlock<T>..., &reducePair<T>...);
}
constexpr auto instantiated = asTuple(reductions(isa::Floating{}));
const OffersOf<instantiated> offered;
}  // namespace

}  // namespace vec
}  // namespace npu_emu
