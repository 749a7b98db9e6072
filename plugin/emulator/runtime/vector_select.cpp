// Selection by bits.
#include <tuple>

#include "library.h"
#include "numerics.h"
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
void selectLanes(Operand dst, Operand mask, Operand src0, SELMODE mode, const Walk& walk, const Lanes& lanes,
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

// Modes 1 and 2 lay 32 copies of the scalar or of the address of the mask down in the area of the library.
WorkingMemory reserved(SELMODE mode, uint32_t elementBytes) {
  constexpr uint32_t copies = 32;
  return mode == SELMODE::VSEL_CMPMASK_SPR ? WorkingMemory() : reservedMemory("Select", copies * elementBytes);
}

Instruction selection(const Lanes& lanes, uint32_t elementBytes) {
  return {"Select", Pipe::V, vectorCycles(lanes, elementBytes, selectCost.c16), selectCost.tail};
}

uint32_t maskBytes(const Lanes& lanes, SELMODE mode) {
  uint64_t bits = mode == SELMODE::VSEL_CMPMASK_SPR ? lanes.perRepeat : lanes.total;
  return static_cast<uint32_t>((bits + 7) / 8);
}

}  // namespace

namespace vec {

template <typename T>
void select(Operand dst, Operand mask, Operand src0, Operand src1, SELMODE mode, const Walk& walk) {
  const WorkingMemory working = reserved(mode, sizeof(uint32_t));
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  issue(
      selection(lanes, sizeof(T)),
      [&](Touches& touches) {
        working.touch(touches);
        touches.add(Extent{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"});
        touches.add(Extent{mask, maskBytes(lanes, mode), reads, "selMask"});
        touches.add(Extent{src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"});
        touches.add(Extent{src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"});
      },
      [&] {
        working.leaveGarbage();
        selectLanes<T>(dst, mask, src0, mode, walk, lanes,
                       [&](size_t offset, size_t i) { return reinterpret_cast<const T*>(src1.address + offset) + i; });
      });
}

namespace {

template <typename T>
void selectOrScalar(const WorkingMemory& working, Operand dst, Operand mask, Operand src, T value, SELMODE mode,
                    const Walk& walk) {
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 2);
  issue(
      selection(lanes, sizeof(T)),
      [&](Touches& touches) {
        working.touch(touches);
        touches.add(Extent{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"});
        touches.add(Extent{mask, maskBytes(lanes, mode), reads, "selMask"});
        touches.add(Extent{src, reach(walk, lanes, 1, sizeof(T)), reads, "src0"});
      },
      [&] {
        working.leaveGarbage();
        const T values[8] = {value, value, value, value, value, value, value, value};
        selectLanes<T>(dst, mask, src, mode, walk, lanes, [&](size_t, size_t) { return values; });
      });
}

}  // namespace

template <typename T>
void selectScalar(Operand dst, Operand mask, Operand src, T value, SELMODE mode, const Walk& walk) {
  selectOrScalar<T>(reserved(mode, sizeof(T)), dst, mask, src, value, mode, walk);
}

template <typename T>
void selectByRegister(Operand dst, Operand src0, Operand src1, SELMODE mode, const Walk& walk) {
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  requireSet(Register::Comparison, "Select");
  Operand mask{core->compareMask, 0, src0.position};
  uint32_t maskInMemory = 0;
  if (mode != SELMODE::VSEL_CMPMASK_SPR) {
    checkReservedArea("Select");
    std::memcpy(&mask.address, core->compareMask, sizeof mask.address);
    maskInMemory = maskBytes(lanes, mode);
  }
  issue(selection(lanes, sizeof(T)),
        {unseenByCompiler({mask, maskInMemory, reads, "the mask that the register points to"}),
         {dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"},
         {src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"},
         {src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"}},
        [&] {
          selectLanes<T>(dst, mask, src0, mode, walk, lanes, [&](size_t offset, size_t i) {
            return reinterpret_cast<const T*>(src1.address + offset) + i;
          });
        });
}

template <typename T>
void selectRegisterScalar(Operand dst, Operand mask, Operand src, const Walk& walk) {
  requireSet(Register::Comparison, "Select");
  T value;
  std::memcpy(&value, core->compareMask, sizeof value);
  checkReservedArea("Select");
  selectOrScalar<T>({}, dst, mask, src, value, SELMODE::VSEL_TENSOR_SCALAR_MODE, walk);
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
