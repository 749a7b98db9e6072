// Selection by bits.
#include <tuple>

#include "library.h"
#include "numerics.h"
#include "repeat_order.h"
#include "walk.h"
#include "api_calls.h"

namespace npu_emu {

namespace {

using AscendC::SELMODE;

// One byte of mask bits. Sources may be the destination.
template <typename T>
void selectEight(T* out, const T* in, const T* other, uint32_t bits) {
  using Lane = std::conditional_t<sizeof(T) == 2, int16_t, int32_t>;
  typedef Lane Lanes8 __attribute__((vector_size(8 * sizeof(Lane))));
  Lanes8 taken, left;
  std::memcpy(&taken, in, sizeof taken);
  std::memcpy(&left, other, sizeof left);
  constexpr Lanes8 lane = {1, 2, 4, 8, 16, 32, 64, 128};
  Lanes8 active = (lane & static_cast<Lane>(bits)) == lane;
  left = (taken & active) | (left & ~active);
  std::memcpy(out, &left, sizeof left);
}

// `other(runOffset, lane)` points to what is taken where the mask bit is clear, and to that of the next seven lanes.
template <typename T, typename Other>
void selectRuns(Operand dst, Operand mask, Operand src0, SELMODE mode, const Walk& walk, const Lanes& lanes,
                Other other) {
  // The bit of an element is its lane, counted over all repeats; the register form starts again with every repeat.
  forEachRunOfLanes<3>(walk, lanes, {sizeof(T), sizeof(T), sizeof(T)},
                       [&](const std::array<size_t, 3>& offset, size_t n, uint64_t firstBit) {
                         T* out = reinterpret_cast<T*>(dst.address + offset[0]);
                         const T* in = reinterpret_cast<const T*>(src0.address + offset[1]);
                         for (size_t i = 0; i < n;) {
                           uint64_t bit = firstBit + i;
                           size_t end = n;
                           if (mode == SELMODE::VSEL_CMPMASK_SPR) {
                             bit %= lanes.perRepeat;
                             end = std::min<size_t>(n, i + lanes.perRepeat - bit);
                           }
                           const uint8_t* bits = mask.address + bit / 8;
                           if (bit % 8 != 0 || end - i < 8) {
                             out[i] = *bits >> (bit % 8) & 1 ? in[i] : *other(offset[2], i);
                             ++i;
                             continue;
                           }
                           for (; end - i >= 8; i += 8) selectEight(out + i, in + i, other(offset[2], i), *bits++);
                         }
                       });
}

uint32_t maskBytes(const Lanes& lanes, SELMODE mode) {
  uint64_t bits = mode == SELMODE::VSEL_CMPMASK_SPR ? lanes.perRepeat : lanes.total;
  return static_cast<uint32_t>((bits + 7) / 8);
}

// The same, where operands may overlap. `other(src1, runOffset, lane)`. `src1` has no address where a scalar is taken.
template <typename T, typename Other>
void selectLanes(const std::array<Operand, 3>& operands, Operand mask, SELMODE mode, const Walk& walk,
                 const Lanes& lanes, Other other) {
  static constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  const auto extentOf = [&](size_t i) -> Extent { return {operands[i], reach(walk, lanes, i, sizeof(T)), i == 0, ""}; };
  const Extent dst = extentOf(0);
  const size_t count = operands[2].address == nullptr ? 2 : 3;
  const bool isInMemory = mode != SELMODE::VSEL_CMPMASK_SPR;
  bool meets = isInMemory && meet(dst, {mask, maskBytes(lanes, mode), reads, ""});
  for (size_t i = 1; i < count; ++i) meets = meets || mayMeet(dst, extentOf(i), walk, lanes, i, widths);
  const uint32_t maskStep = isInMemory ? lanes.perRepeat / 8 : 0;
  RepeatOrder order;
  if (meets) {
    std::vector<Footprint> sources;
    for (size_t i = 1; i < count; ++i) sources.emplace_back(operands[i], walk, lanes, i, sizeof(T));
    if (isInMemory) sources.emplace_back(mask.address, maskStep, std::vector<Footprint::Run>{{0, maskStep}});
    order = RepeatOrder("Select", repeatsOf(lanes), Footprint(operands[0], walk, lanes, 0, sizeof(T)), sources);
  }
  if (isInMemory) mask = order.source(mask);
  forEachInOrder<3>(order, operands, walk, lanes, widths, [&](const auto& at, const Lanes& some, uint32_t repeat) {
    Operand bits = mask;
    bits.address += size_t(repeat) * maskStep;
    selectRuns<T>(at[0], bits, at[1], mode, walk, some,
                  [&](size_t offset, size_t i) { return other(at[2], offset, i); });
  });
}

template <typename T>
const T* elementAt(const Operand& src1, size_t offset, size_t i) {
  return reinterpret_cast<const T*>(src1.address + offset) + i;
}

// Modes 1 and 2 lay 32 copies of the scalar or of the address of the mask down in the area of the library.
WorkingMemory reserved(SELMODE mode, uint32_t elementBytes) {
  constexpr uint32_t copies = 32;
  return mode == SELMODE::VSEL_CMPMASK_SPR ? WorkingMemory() : reservedMemory("Select", copies * elementBytes);
}

Instruction selection(const LaneMap& map, uint32_t elementBytes, uint32_t setUpCycles = 0) {
  return onLanes(map, "Select", setUpCycles + vectorCycles(map.lanes, elementBytes, selectCost.c16), selectCost.tail);
}

// What comes before the selection that is given its mask, each after a barrier: the register of comparisons is loaded, in
// modes 1 and 2 from copies that are laid down first.
constexpr uint32_t setUpCyclesOf(SELMODE mode) {
  constexpr uint32_t load = maskRegisterCycles + maskRegisterTail, copies = 3 + moveCost.tail;
  return mode == SELMODE::VSEL_CMPMASK_SPR ? load : copies + load;
}

// The library lays copies down under a mask of 32 bits, which is the number of them only where the mask names lanes.
void requireLanes(SELMODE mode, const Walk& walk) {
  if (!core->maskCounter || walk.kind == Walk::Count || mode == SELMODE::VSEL_CMPMASK_SPR) return;
  trap({Check::ParameterRange, "Select", "in counter mode the set-up of this mode writes far beyond its place",
        "call it with a count, or after SetMaskNorm"});
}

// Copies of a few bytes, one after the other.
void loadRegister(const void* from, size_t bytes) {
  for (size_t at = 0; at < sizeof core->compareMask; at += bytes)
    std::memcpy(core->compareMask + at, from, std::min(bytes, sizeof core->compareMask - at));
}

}  // namespace

namespace vec {

template <typename T>
void select(Operand dst, Operand mask, Operand src0, Operand src1, SELMODE mode, const Walk& walk) {
  if (mode == SELMODE::VSEL_TENSOR_SCALAR_MODE)
    trap({Check::ParameterRange, "Select", "VSEL_TENSOR_SCALAR_MODE takes a scalar: of two tensors nothing is selected",
          "use VSEL_TENSOR_TENSOR_MODE"});
  requireLanes(mode, walk);
  const WorkingMemory working = reserved(mode, sizeof(uint32_t));
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  requireBlocksApart("Select", walk, lanes, sizeof(T));
  const LaneMap map{walk, lanes};
  // the set-up leaves the bits in the register or, in mode 2, where they are, which says a kernel nothing
  const bool loadsBits = mode == SELMODE::VSEL_CMPMASK_SPR;
  if (loadsBits) markSet(Register::Comparison);
  else markLost(Register::Comparison);
  Instruction selecting = selection(map, sizeof(T), setUpCyclesOf(mode));
  selecting.leavesComparison = true;
  issue(
      selecting,
      [&](Touches& touches) {
        working.touch(touches);
        touches.add(Extent{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"});
        touches.add(Extent{mask, maskBytes(lanes, mode), reads, "selMask"});
        touches.add(Extent{src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"});
        touches.add(Extent{src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"});
      },
      [&] {
        working.leaveGarbage();
        if (loadsBits && maskBytes(lanes, mode) != 0) loadRegister(mask.address, maskBytes(lanes, mode));
        selectLanes<T>({dst, src0, src1}, mask, mode, walk, lanes, elementAt<T>);
      });
}

namespace {

template <typename T>
void selectOrScalar(const WorkingMemory& working, Operand dst, Operand mask, Operand src, T value, SELMODE mode,
                    const Walk& walk, uint32_t setUpCycles) {
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 2);
  requireBlocksApart("Select", walk, lanes, sizeof(T));
  const LaneMap map{walk, lanes};
  Instruction selecting = selection(map, sizeof(T), setUpCycles);
  selecting.leavesComparison = setUpCycles != 0;
  selecting.takesComparison = setUpCycles == 0;
  issue(
      selecting,
      [&](Touches& touches) {
        working.touch(touches);
        touches.add(Extent{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"});
        touches.add(Extent{mask, maskBytes(lanes, mode), reads, "selMask"});
        touches.add(Extent{src, reach(walk, lanes, 1, sizeof(T)), reads, "src0"});
      },
      [&] {
        working.leaveGarbage();
        const T values[8] = {value, value, value, value, value, value, value, value};
        if (setUpCycles != 0) loadRegister(&value, sizeof value);
        selectLanes<T>({dst, src, {}}, mask, mode, walk, lanes, [&](const Operand&, size_t, size_t) { return values; });
      });
}

}  // namespace

template <typename T>
void selectScalar(Operand dst, Operand mask, Operand src, T value, SELMODE mode, const Walk& walk) {
  constexpr uint32_t setUpCycles = setUpCyclesOf(SELMODE::VSEL_TENSOR_SCALAR_MODE);
  if (mode != SELMODE::VSEL_TENSOR_SCALAR_MODE)
    trap({Check::ParameterRange, "Select",
          "a scalar takes VSEL_TENSOR_SCALAR_MODE: the other modes read it as something else",
          "use VSEL_TENSOR_SCALAR_MODE"});
  requireLanes(mode, walk);
  markSet(Register::Comparison);
  selectOrScalar<T>(reserved(mode, sizeof(T)), dst, mask, src, value, mode, walk, setUpCycles);
}

template <typename T>
void selectByRegister(Operand dst, Operand src0, Operand src1, SELMODE mode, const Walk& walk) {
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  requireBlocksApart("Select", walk, lanes, sizeof(T));
  requireSet(Register::Comparison, "Select");
  Operand mask{core->compareMask, 0, src0.position};
  uint32_t maskInMemory = 0;
  if (mode != SELMODE::VSEL_CMPMASK_SPR) {
    checkReservedArea("Select");
    std::memcpy(&mask.address, core->compareMask, sizeof mask.address);
    maskInMemory = maskBytes(lanes, mode);
  }
  const LaneMap map{walk, lanes};
  Instruction selecting = selection(map, sizeof(T));
  selecting.takesComparison = true;
  issue(selecting,
        {unseenByCompiler({mask, maskInMemory, reads, "the mask that the register points to"}),
         {dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"},
         {src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"},
         {src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"}},
        [&] {
          selectLanes<T>({dst, src0, src1}, mask, mode, walk, lanes, elementAt<T>);
        });
}

template <typename T>
void selectRegisterScalar(Operand dst, Operand mask, Operand src, const Walk& walk) {
  requireSet(Register::Comparison, "Select");
  T value;
  std::memcpy(&value, core->compareMask, sizeof value);
  checkReservedArea("Select");
  selectOrScalar<T>({}, dst, mask, src, value, SELMODE::VSEL_TENSOR_SCALAR_MODE, walk, 0);
}

namespace {

template <typename... T>
constexpr auto selections(Types<T...>) {
  return std::make_tuple(&select<T>..., &selectScalar<T>..., &selectByRegister<T>..., &selectRegisterScalar<T>...);
}
constexpr auto instantiated = asTuple(selections(isa::Floating{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
