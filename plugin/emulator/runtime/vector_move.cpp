// Vector instructions that fill and move.
#include "elementwise.h"
#include "api_calls.h"
#include "repeat_order.h"

namespace npu_emu {

using namespace elementwise;

namespace {

template <typename T>
void fillRule(uint8_t* dst, const uint8_t*, const uint8_t*, size_t n, const void* scalar) {
  std::fill_n(reinterpret_cast<T*>(dst), n, *static_cast<const T*>(scalar));
}

template <typename T>
void copyRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void*) {
  std::memmove(dst, a, n * sizeof(T));
}

// Whether dst and src meet, in repeats of more than 256 bytes.
template <typename T>
bool longRepeatsMeet(const Operand& dst, const Operand& src, const Walk& walk, uint64_t lanes) {
  if (walk.repeats == 0 || lanes <= repeatBytes / sizeof(T) || lanes > architecture::ubBytes) return false;
  const auto bytesOf = [&](size_t index) {
    return endOfLane(walk, index, walk.repeats - 1, static_cast<uint32_t>(lanes), sizeof(T));
  };
  return dst.address < src.address + bytesOf(1) && src.address < dst.address + bytesOf(0);
}

// A part of each long repeat, which is moved with all the others.
void issuePart(const Elementwise& instruction, const Operand& dst, const Operand& src, const Walk& walk) {
  const uint32_t bytes = instruction.elementBytes, widths[] = {bytes, bytes};
  const Lanes lanes = resolve(walk, bytes, widths, 2);
  requireBlocksApart(instruction.name, walk, lanes, bytes);
  const float cycles = bytes <= 2 ? instruction.cost.c16 : instruction.cost.c32;
  const LaneMap map{walk, lanes};
  issue(onLanes(map, instruction.name, vectorCycles(lanes, bytes, cycles), instruction.cost.tail),
        {{dst, reach(walk, lanes, 0, bytes), writes, "dst"}, {src, reach(walk, lanes, 1, bytes), reads, "src"}}, [] {});
}

// Moves repeats that are longer than others, 256 bytes at a time: none of these sees what those before it have written.
template <typename T>
void moveLongRepeats(const Operand& dst, const Operand& src, const Walk& walk, uint64_t lanes) {
  constexpr uint32_t perRepeat = repeatBytes / sizeof(T), bytes = sizeof(T);
  const auto parts = static_cast<uint32_t>((lanes + perRepeat - 1) / perRepeat);
  Lanes part{false, perRepeat, perRepeat, 1, {}, {}};
  maskOfLanes(perRepeat, part.mask);
  maskOfLanes(lanes - uint64_t(parts - 1) * perRepeat, part.lastMask);
  const auto footprintOf = [&](const Operand& operand, size_t index) {
    Footprint all(operand, walk, part, index, bytes);
    all.parts = parts;
    all.partStep = size_t(walk.blockStride[index]) * repeatBytes;
    return all;
  };
  const Footprint to = footprintOf(dst, 0), from = footprintOf(src, 1);
  RepeatOrder order("Copy", walk.repeats * parts, to, {from});
  for (uint32_t i = 0; i < walk.repeats * parts; ++i) {
    Lanes one = part;
    if ((i + 1) % parts != 0) std::copy_n(part.mask, 2, one.lastMask);
    forEachRun<2>(walk, one, {bytes, bytes}, [&](const std::array<size_t, 2>& offset, size_t n) {
      std::memmove(to.at(i) + offset[0], order.source(from.at(i)) + offset[1], n * bytes);
    });
    order.end(i);
  }
}

}  // namespace

namespace vec {

template <typename T>
void duplicate(Operand dst, T value, const Walk& walk) {
  execute({"Duplicate", moveCost, sizeof(T), 1, false, false, Effect::Fills}, {dst, {}, {}}, walk, fillRule<T>, &value);
}

// In counter mode the mask counts the elements of every repeat, unlike for all other instructions, and a repeat may
// have more than eight blocks.
template <typename T>
void copy(Operand dst, Operand src, const Walk& walk) {
  constexpr Elementwise instruction = {"Copy", moveCost, sizeof(T), 2, false, false, Effect::Moves};
  if (!core->maskCounter) return execute(instruction, {dst, src, {}}, walk, copyRule<T>, nullptr);
  constexpr uint64_t perRepeat = repeatBytes / sizeof(T);
  if (!walk.setsMask) requireSet(Register::Mask, instruction.name);
  const uint64_t lanes = walk.setsMask ? walk.mask[0] : core->mask[0];
  const Operand to = dst, from = src;
  const bool meets = longRepeatsMeet<T>(dst, src, walk, lanes);
  Walk normal = walk;
  normal.setsMask = true;
  core->maskCounter = false;
  for (uint64_t done = 0; done < lanes; done += perRepeat) {
    maskOfLanes(std::min(perRepeat, lanes - done), normal.mask);
    if (meets) issuePart(instruction, dst, src, normal);
    else execute(instruction, {dst, src, {}}, normal, copyRule<T>, nullptr);
    dst.address += size_t(walk.blockStride[0]) * repeatBytes;
    src.address += size_t(walk.blockStride[1]) * repeatBytes;
  }
  core->maskCounter = true;
  if (meets && !device.isDryRun) moveLongRepeats<T>(to, from, walk, lanes);
  core->mask[0] = lanes;
  core->mask[1] = 0;
}

template <typename T>
void brcb(Operand dst, Operand src, uint8_t repeats, uint16_t blockStride, uint16_t repeatStride) {
  fillMask();
  if (repeats == 0) return;
  if (blockStride == 0)
    trap({Check::ParameterRange, "Brcb", "dstBlkStride is 0: blocks of a repeat are written over each other",
          "give 1 or more"});
  const Reach written = Reach::strided(blockBytes, repeats, uint64_t(repeatStride) * blockBytes, blocksPerRepeat,
                                       uint64_t(blockStride) * blockBytes);
  const uint32_t read = repeats * blocksPerRepeat * static_cast<uint32_t>(sizeof(T));
  constexpr auto ofRepeat = static_cast<uint32_t>(blocksPerRepeat * sizeof(T));
  const Extent extents[] = {{dst, written, writes, "dst"}, {src, read, reads, "src0"}};
  issue({"Brcb", Pipe::V, std::max<uint32_t>(3, repeats), moveCost.tail}, extents, [&] {
    RepeatOrder order;
    if (meet(extents[0], extents[1]))
      order = RepeatOrder("Brcb", repeats,
                          Footprint(dst.address, size_t(repeatStride) * blockBytes, blocksPerRepeat,
                                    size_t(blockStride) * blockBytes, blockBytes),
                          {Footprint(src.address, ofRepeat, {{0, ofRepeat}})});
    for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
      const T* in = reinterpret_cast<const T*>(order.source(src.address)) + repeat * blocksPerRepeat;
      for (uint32_t block = 0; block < blocksPerRepeat; ++block) {
        uint8_t* out = dst.address + (size_t(repeat) * repeatStride + size_t(block) * blockStride) * blockBytes;
        T copies[blockBytes / sizeof(T)];
        for (T& copy : copies) copy = in[block];
        std::memcpy(out, copies, blockBytes);
      }
      order.end(repeat);
    }
  });
}

// ---- what the library contains: every instruction for each of its types --------------------------------------------

namespace {

template <typename... T>
constexpr auto moves(Types<T...>) {
  return std::make_tuple(&duplicate<T>..., &copy<T>..., &brcb<T>...);
}

constexpr auto instantiated = asTuple(moves(isa::Fill{}));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
