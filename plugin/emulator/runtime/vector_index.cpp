// Arithmetic progressions in UB, built as the library does: one block by the scalar unit, the rest by adding to what is
// there.
#include <tuple>

#include "walk.h"
#include "api_calls.h"

namespace npu_emu {

namespace {

// Arithmetic of the element type: integers wrap, halves are rounded once.
template <typename T>
T added(T a, T b) {
  return static_cast<T>(isa::Add::element(static_cast<Wide<T>>(a), static_cast<Wide<T>>(b)));
}
template <typename T>
T multiple(T step, uint32_t times) {
  return static_cast<T>(isa::Mul::element(static_cast<Wide<T>>(step), static_cast<Wide<T>>(times)));
}
template <typename T>
T element(T first, T step, uint32_t index) {
  auto wide = isa::Mul::element(static_cast<Wide<T>>(step), static_cast<Wide<T>>(index));
  return static_cast<T>(isa::Add::element(static_cast<Wide<T>>(first), wide));
}

// `scalars` elements are stored by the scalar unit, and as many instructions add to what is there.
template <typename Body>
void issueProgression(const char* name, uint32_t scalars, uint32_t adds, const Extent& dst, const Body& body) {
  if (scalars > 0) orderScalarAfter(Memory::UB);
  scalarCycles(scalars * localWriteCycles);
  orderByFlag(name, AscendC::HardEvent::S_V);
  issue({name, Pipe::V, std::max<uint32_t>(3, adds * dependentAddCycles), isa::simpleCost.tail}, {dst}, body);
}

template <typename T>
void fill(const char* name, Operand dst, T first, T step, uint32_t count, uint32_t written,
          uint16_t alignment = blockBytes) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T), perRepeat = repeatBytes / sizeof(T);
  const Extent extent{dst, Reach::dense(written, sizeof(T)), writes, "dst", alignment};
  uint32_t blocks = (count + perBlock - 1) / perBlock, repeats = (count + perRepeat - 1) / perRepeat;
  uint32_t adds = count <= perBlock ? 0 : std::min(blocks, blocksPerRepeat) - 1 + repeats - 1;
  issueProgression(name, std::min(count, perBlock), adds, extent, [&] {
    T blockStep = multiple(step, perBlock), repeatStep = multiple(step, perRepeat);
    T* out = reinterpret_cast<T*>(dst.address);
    const uint32_t block = std::min(written, perBlock), repeat = std::min(written, perRepeat);
    for (uint32_t i = 0; i < block; ++i) out[i] = element(first, step, i);
    for (uint32_t i = block; i < repeat; ++i) out[i] = added(out[i - perBlock], blockStep);
    for (uint32_t i = repeat; i < written; ++i) out[i] = added(out[i - perRepeat], repeatStep);
  });
}

}  // namespace

namespace vec {

template <typename T>
void progression(Operand dst, T first, T step, int32_t count) {
  if (count <= 0) return;
  constexpr uint32_t perBlock = blockBytes / sizeof(T), lanesOfRepeat = repeatBytes / sizeof(T);
  auto n = static_cast<uint32_t>(count);
  // Above a block the last additions have set the mask: those of a repeat to the others, of its part where one is left, or of
  // a block to the others of the only repeat.
  const uint32_t tail = n % lanesOfRepeat;
  if (n > lanesOfRepeat && tail == 0) fillMask();
  else if (n > lanesOfRepeat) leaveLanes((tail + perBlock - 1) / perBlock * perBlock);
  else if (n > perBlock) leaveLanes(perBlock);
  // up to a block the scalar unit does it all, which writes wherever an element may lie
  const bool isScalar = n <= perBlock;
  fill("Arange", dst, first, step, n, isScalar ? n : (n + perBlock - 1) / perBlock * perBlock,
       isScalar ? sizeof(T) : blockBytes);
}

namespace {

// Above a block, the last addition of a repeat, and then of what follows it, sets the mask.
template <typename T>
void leaveMaskOfIndices(uint32_t count) {
  constexpr uint32_t perBlock = blockBytes / sizeof(T), perRepeat = repeatBytes / sizeof(T);
  if (count <= perBlock) return;
  const bool isOneRepeat = count <= perRepeat;
  const uint32_t rest = count % (isOneRepeat && count != perRepeat ? perBlock : perRepeat);
  leaveLanes(rest != 0 ? rest : isOneRepeat ? perBlock : perRepeat);
}

// The additions set the mask for lanes, which nothing but the mode makes a number of.
void requireLanesOfIndices() {
  if (core->maskCounter)
    trap({Check::ParameterRange, "CreateVecIndex", "in counter mode its additions go far beyond their blocks",
          "call it after SetMaskNorm"});
}

}  // namespace

template <typename T>
void createVecIndex(Operand dst, T first, const Walk& walk, bool byBits) {
  constexpr uint32_t widths[] = {sizeof(T)}, perBlock = blockBytes / sizeof(T);
  requireFreeIds("CreateVecIndex", {AscendC::HardEvent::S_V});
  const bool onlyScalars = walk.kind == Walk::Count ? walk.count <= perBlock : byBits && walk.repeats <= 1;
  if (!onlyScalars) requireLanesOfIndices();
  if (walk.kind == Walk::Count) {
    fill("CreateVecIndex", dst, first, T(1), walk.count, walk.count);
    return leaveMaskOfIndices<T>(walk.count);
  }
  const uint64_t mask[] = {core->mask[0], core->mask[1]};
  const bool counts = core->maskCounter;
  core->maskCounter = false;
  Lanes lanes = resolve(walk, sizeof(T), widths, 1);
  core->maskCounter = counts;
  // lanes that bits name are all written by the scalar unit, and so is a block of those that are counted
  const auto lanesOfRepeat =
      static_cast<uint32_t>(__builtin_popcountll(lanes.mask[0]) + __builtin_popcountll(lanes.mask[1]));
  if (lanes.repeats <= 1) {
    // additions of a repeat have the masks of its blocks
    std::copy_n(mask, 2, core->mask);
    if (!byBits && lanesOfRepeat > perBlock)
      leaveLanes(lanesOfRepeat % perBlock != 0 ? lanesOfRepeat % perBlock : perBlock);
  }
  if (lanes.repeats == 0) return;
  if (!byBits && lanesOfRepeat < perBlock)
    trap({Check::ParameterRange, "CreateVecIndex",
          text("a mask of %u lanes is less than a block: the library adds to what lies before dst", lanesOfRepeat),
          "give a count, or bits"});
  const Extent extent{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"};
  const uint32_t scalars = byBits ? lanesOfRepeat : perBlock,
                 adds = (byBits ? 0 : ceilDivide(lanesOfRepeat, perBlock) - 1) + lanes.repeats - 1;
  issueProgression("CreateVecIndex", scalars, adds, extent, [&] {
    forEachRunOfLanes<1>(walk, lanes, {sizeof(T)}, [&](const std::array<size_t, 1>& offset, size_t n, uint64_t start) {
      T* out = reinterpret_cast<T*>(dst.address + offset[0]);
      for (size_t i = 0; i < n; ++i) {
        const auto index = static_cast<uint32_t>(start + i);
        T value = element(first, T(1), index % lanes.perRepeat);
        for (uint32_t repeat = index / lanes.perRepeat; repeat > 0; --repeat)
          value = added(value, static_cast<T>(lanes.perRepeat));
        out[i] = value;
      }
    });
  });
}

namespace {

template <typename... T>
constexpr auto indices(Types<T...>) {
  return std::make_tuple(&progression<T>..., &createVecIndex<T>...);
}
constexpr auto instantiated = asTuple(indices(isa::Arithmetic{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
