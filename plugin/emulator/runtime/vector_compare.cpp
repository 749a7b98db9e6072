// Comparison to bits, and the register that holds those of one repeat.
#include <tuple>

#include "numerics.h"
#include "repeat_order.h"
#include "walk.h"
#include "api_calls.h"

namespace npu_emu {

namespace {

using AscendC::CMPMODE;

constexpr uint16_t registerAlignment = 16;  // of memory that the register of comparisons is stored to or loaded from

// Comparisons with NaN are false in every mode, NE included.
template <typename T>
bool holds(CMPMODE mode, T a, T b) {
  switch (mode) {
    case CMPMODE::LT: return a < b;
    case CMPMODE::GT: return a > b;
    case CMPMODE::EQ: return a == b;
    case CMPMODE::LE: return a <= b;
    case CMPMODE::GE: return a >= b;
    default: return a < b || a > b;
  }
}

// Calls f with the comparison, so that loops over it know it.
template <typename F>
void withComparison(CMPMODE mode, F f) {
  switch (mode) {
    case CMPMODE::LT: return f([](auto a, auto b) { return a < b; });
    case CMPMODE::GT: return f([](auto a, auto b) { return a > b; });
    case CMPMODE::EQ: return f([](auto a, auto b) { return a == b; });
    case CMPMODE::LE: return f([](auto a, auto b) { return a <= b; });
    case CMPMODE::GE: return f([](auto a, auto b) { return a >= b; });
    default: return f([](auto a, auto b) { return (a < b) | (a > b); });
  }
}

// Packs n bytes of 0 or 1, n a multiple of 8, into bits: the first into the lowest bit.
void packBits(uint8_t* out, const uint8_t* flags, size_t n) {
  for (size_t i = 0; i < n; i += 8) {
    uint64_t eight;
    std::memcpy(&eight, flags + i, sizeof eight);
    out[i / 8] = static_cast<uint8_t>(eight * 0x0102040810204080u >> 56);  // flag j moves to bit 56 + j
  }
}

template <typename T>
using Widened = std::conditional_t<std::is_same_v<T, half>, float, T>;

// The lanes of one repeat, in the type that is compared.
template <typename T>
const Widened<T>* lanesAt(Widened<T>* scratch, const T* in, size_t n) {
  if constexpr (std::is_same_v<T, half>) {
    widen(scratch, in, n);
    return scratch;
  } else {
    return in;
  }
}

template <typename T>
void checkMode(CMPMODE mode, const char* name) {
  if (std::is_same_v<T, int32_t> && mode != CMPMODE::EQ) {
    trap({Check::CompareMode, name, "int32_t tensors can only be compared with CMPMODE::EQ on Atlas A2",
          "cast to float, or compare for equality"});
  }
}

// Bytes of mask bits that `lanes` elements take, and the lanes of each repeat when strides are used.
struct Shape {
  bool dense;
  uint32_t repeats, perRepeat;
  uint64_t total;
};

template <typename T>
Shape shapeOf(const Walk& walk, const char* name) {
  constexpr uint32_t perRepeat = repeatBytes / sizeof(T);
  if (walk.kind == Walk::Count) {
    const auto whole = static_cast<uint32_t>(walk.count / perRepeat), left = walk.count % perRepeat;
    if (left != 0)
      report({Check::CompareCount, name,
              text("%u elements of %zu bytes are not a multiple of 256 bytes: the last %u are not compared", walk.count,
                   sizeof(T), left),
              "round the count up to whole repeats; the buffer has to be as long"});
    return {true, whole, perRepeat, uint64_t(whole) * perRepeat};
  }
  return {false, walk.repeats, perRepeat, uint64_t(walk.repeats) * perRepeat};
}

// Whole repeats are compared whatever the mask. Where the lanes that the mask leaves out lie past the buffer, the bits
// that they give are not asked for: they are read, but count as if they were not.
Reach stridedReach(const Operand& operand, const Walk& walk, size_t index, const Shape& shape, uint32_t elementBytes) {
  if (shape.dense) return static_cast<uint32_t>(shape.total * elementBytes);
  if (shape.repeats == 0) return 0u;
  const auto bytesOf = [&](uint32_t lanes) {
    return static_cast<uint32_t>(endOfLane(walk, index, shape.repeats - 1u, lanes, elementBytes));
  };
  Reach blocks = Reach::strided(blockBytes, shape.repeats, uint64_t(walk.repeatStride[index]) * blockBytes,
                                blocksPerRepeat, uint64_t(walk.blockStride[index]) * blockBytes);
  const uint32_t whole = bytesOf(shape.perRepeat), asked = std::min(highestLane(walk.mask), shape.perRepeat);
  const Buffer& buffer = bufferOf(operand);
  if (!walk.setsMask || asked == 0 || buffer.base == nullptr || operand.address + whole <= buffer.base + buffer.bytes)
    return blocks;
  constexpr auto ub = static_cast<size_t>(Memory::UB);
  return operand.address + whole <= core->memory[ub] + core->capacity[ub] ? Reach(bytesOf(asked)) : blocks;
}

// The lanes of one repeat, brought together in `scratch` where they are not.
template <typename T>
const T* repeatAt(T* scratch, const Operand& operand, const Walk& walk, size_t index, const Shape& shape,
                  uint32_t repeat) {
  if (shape.dense) return reinterpret_cast<const T*>(operand.address) + size_t(repeat) * shape.perRepeat;
  const uint8_t* first = operand.address + size_t(repeat) * walk.repeatStride[index] * blockBytes;
  if (walk.blockStride[index] == 1) return reinterpret_cast<const T*>(first);
  for (uint32_t block = 0; block < blocksPerRepeat; ++block)
    std::memcpy(reinterpret_cast<uint8_t*>(scratch) + block * blockBytes,
                first + size_t(block) * walk.blockStride[index] * blockBytes, blockBytes);
  return scratch;
}

// Where the bits of a repeat lie on what a later one compares.
template <typename T>
RepeatOrder orderOf(const char* name, const Extent& dst, const Operand* sources, size_t count, const Walk& walk,
                    const Shape& shape) {
  constexpr uint32_t bits = repeatBytes / sizeof(T) / 8;
  std::vector<Footprint> all;
  for (size_t i = 0; i < count; ++i) {
    uint8_t* address = sources[i].address;
    if (shape.dense) all.emplace_back(address, repeatBytes, std::vector<Footprint::Run>{{0, repeatBytes}});
    else
      all.emplace_back(address, size_t(walk.repeatStride[i + 1]) * blockBytes, blocksPerRepeat,
                       size_t(walk.blockStride[i + 1]) * blockBytes, blockBytes);
  }
  return {name, shape.repeats, Footprint(dst.operand.address, bits, {{0, bits}}), all, Parts::Silent};
}

Instruction comparison(const char* name, const Shape& shape, uint32_t elementBytes) {
  const float cycles = elementBytes <= 2 ? compareCost.c16 : compareCost.c32;
  return {name, Pipe::V, std::max<uint32_t>(7, static_cast<uint32_t>(cycles * static_cast<float>(shape.repeats))),
          compareCost.tail};
}

}  // namespace

namespace vec {

template <typename T>
void compare(Operand dst, Operand src0, Operand src1, CMPMODE mode, const Walk& walk) {
  checkMode<T>(mode, "Compare");
  Shape shape = shapeOf<T>(walk, "Compare");
  const auto written = static_cast<uint32_t>(shape.total / 8);
  const Extent extents[] = {{dst, written, writes, "dst"},
                            {src0, stridedReach(src0, walk, 1, shape, sizeof(T)), reads, "src0"},
                            {src1, stridedReach(src1, walk, 2, shape, sizeof(T)), reads, "src1"}};
  issue(comparison("Compare", shape, sizeof(T)), extents, [&] {
    const Operand sources[] = {src0, src1};
    RepeatOrder order;
    if (meet(extents[0], extents[1]) || meet(extents[0], extents[2]))
      order = orderOf<T>("Compare", extents[0], sources, 2, walk, shape);
    const Operand from[] = {order.source(src0), order.source(src1)};
    withComparison(mode, [&](auto holdsFor) {
      constexpr uint32_t perRepeat = repeatBytes / sizeof(T);
      for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
        T together[2][perRepeat];
        Widened<T> wide[2][perRepeat];
        const Widened<T>* a = lanesAt<T>(wide[0], repeatAt<T>(together[0], from[0], walk, 1, shape, repeat), perRepeat);
        const Widened<T>* b = lanesAt<T>(wide[1], repeatAt<T>(together[1], from[1], walk, 2, shape, repeat), perRepeat);
        uint8_t flags[perRepeat];
        for (uint32_t i = 0; i < perRepeat; ++i) flags[i] = holdsFor(a[i], b[i]);
        packBits(dst.address + size_t(repeat) * perRepeat / 8, flags, perRepeat);
        order.end(repeat);
      }
    });
  });
}

template <typename T>
void compareScalar(Operand dst, Operand src, T value, CMPMODE mode, const Walk& walk) {
  checkMode<T>(mode, "CompareScalar");
  Shape shape = shapeOf<T>(walk, "CompareScalar");
  const auto written = static_cast<uint32_t>(shape.total / 8);
  const Extent extents[] = {{dst, written, writes, "dst"},
                            {src, stridedReach(src, walk, 1, shape, sizeof(T)), reads, "src0"}};
  issue(comparison("CompareScalar", shape, sizeof(T)), extents, [&] {
    RepeatOrder order;
    if (meet(extents[0], extents[1])) order = orderOf<T>("CompareScalar", extents[0], &src, 1, walk, shape);
    const Operand from = order.source(src);
    withComparison(mode, [&](auto holdsFor) {
      constexpr uint32_t perRepeat = repeatBytes / sizeof(T);
      const auto bound = static_cast<Widened<T>>(value);
      for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
        T together[perRepeat];
        Widened<T> wide[perRepeat];
        const Widened<T>* a = lanesAt<T>(wide, repeatAt<T>(together, from, walk, 1, shape, repeat), perRepeat);
        uint8_t flags[perRepeat];
        for (uint32_t i = 0; i < perRepeat; ++i) flags[i] = holdsFor(a[i], bound);
        packBits(dst.address + size_t(repeat) * perRepeat / 8, flags, perRepeat);
        order.end(repeat);
      }
    });
  });
}

// Lanes that the mask leaves out become 0.
template <typename T>
void compareToRegister(Operand src0, Operand src1, CMPMODE mode, const Walk& walk) {
  checkMode<T>(mode, "Compare");
  markSet(Register::Comparison);
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  auto body = [&] {
    std::memset(core->compareMask, 0, sizeof core->compareMask);
    constexpr uint32_t perBlock = blockBytes / sizeof(T);
    uint32_t perRepeat = std::min<uint32_t>(
        repeatBytes / sizeof(T), lanes.contiguous ? static_cast<uint32_t>(lanes.total) : repeatBytes / sizeof(T));
    if (lanes.repeats == 0) return;
    for (uint32_t lane = 0; lane < perRepeat; ++lane) {
      bool active = lanes.contiguous || (lanes.lastMask[lane / 64] >> (lane % 64) & 1) != 0;
      if (!active) continue;
      auto at = [&](const Operand& operand, size_t index) {
        return static_cast<Wide<T>>(reinterpret_cast<const T*>(
            operand.address + size_t(lane / perBlock) * walk.blockStride[index] * blockBytes)[lane % perBlock]);
      };
      if (holds<Wide<T>>(mode, at(src0, 1), at(src1, 2)))
        core->compareMask[lane / 8] |= static_cast<uint8_t>(1u << (lane % 8));
    }
  };
  Instruction comparison{"Compare", Pipe::V, vectorCycles(lanes, sizeof(T), compareCost.c32), compareCost.tail};
  comparison.leavesComparison = true;
  issue(comparison,
        {{src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"},
         {src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"}},
        body);
}

void getCompareMask(Operand dst) {
  requireSet(Register::Comparison, "GetCmpMask");
  constexpr uint32_t required = 128;  // what the destination must have room for; the register fills the first 16 bytes
  Instruction get{"GetCmpMask", Pipe::V, maskRegisterCycles, maskRegisterTail};
  get.takesComparison = true;
  issue(get, {{dst, required, writes, "dst", registerAlignment}},
        [&] { std::memcpy(dst.address, core->compareMask, sizeof core->compareMask); });
}

void setCompareMask(Operand src) {
  markSet(Register::Comparison);
  Instruction set{"SetCmpMask", Pipe::V, maskRegisterCycles, maskRegisterTail};
  set.leavesComparison = true;
  issue(set, {{src, sizeof core->compareMask, reads, "src", registerAlignment}},
        [&] { std::memcpy(core->compareMask, src.address, sizeof core->compareMask); });
}

namespace {

template <typename... T>
constexpr auto comparisons(Types<T...>) {
  return std::make_tuple(&compare<T>..., &compareScalar<T>...);
}
template <typename... T>
constexpr auto toRegister(Types<T...>) {
  return std::make_tuple(&compareToRegister<T>...);
}
constexpr auto instantiated = asTuple(std::make_tuple(comparisons(isa::Comparable{}), toRegister(isa::Floating{})));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
