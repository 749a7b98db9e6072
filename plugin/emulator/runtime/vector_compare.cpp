// Comparison to bits, and selection by bits.
#include <tuple>

#include "numerics.h"
#include "walk.h"

namespace npu_emu {

namespace {

using AscendC::CMPMODE;
using AscendC::SELMODE;

constexpr Cost compareCost{1, 1, 23}, selectCost{2, 2, 14};
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
    if (walk.count * sizeof(T) % repeatBytes != 0) {
      trap({Check::CompareCount, name,
            text("%u elements of %zu bytes are not a multiple of 256 bytes: the last %u are not compared", walk.count,
                 sizeof(T), walk.count % perRepeat),
            "round the count up to whole repeats; the buffer has to be as long"});
    }
    return {true, static_cast<uint32_t>(walk.count / perRepeat), perRepeat, walk.count};
  }
  return {false, walk.repeats, perRepeat, uint64_t(walk.repeats) * perRepeat};
}

// Whole repeats are compared whatever the mask. Where the lanes that the mask leaves out lie past the buffer, the bits
// that they give are not asked for: they are read, but count as if they were not.
uint32_t stridedReach(const Operand& operand, const Walk& walk, size_t index, const Shape& shape,
                      uint32_t elementBytes) {
  if (shape.dense) return static_cast<uint32_t>(shape.total * elementBytes);
  if (shape.repeats == 0) return 0;
  const auto bytesOf = [&](uint32_t lanes) {
    return static_cast<uint32_t>(endOfLane(walk, index, shape.repeats - 1u, lanes, elementBytes));
  };
  const uint32_t whole = bytesOf(shape.perRepeat), asked = std::min(highestLane(walk.mask), shape.perRepeat);
  const Buffer& buffer = bufferOf(operand);
  if (!walk.setsMask || asked == 0 || buffer.base == nullptr || operand.address + whole <= buffer.base + buffer.bytes)
    return whole;
  constexpr auto ub = static_cast<size_t>(Memory::UB);
  return operand.address + whole <= core->memory[ub] + core->capacity[ub] ? bytesOf(asked) : whole;
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
  issue(comparison("Compare", shape, sizeof(T)),
        {{dst, written, writes, "dst"},
         {src0, stridedReach(src0, walk, 1, shape, sizeof(T)), reads, "src0"},
         {src1, stridedReach(src1, walk, 2, shape, sizeof(T)), reads, "src1"}},
        [&] {
          withComparison(mode, [&](auto holdsFor) {
            constexpr uint32_t perRepeat = repeatBytes / sizeof(T);
            for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
              T together[2][perRepeat];
              Widened<T> wide[2][perRepeat];
              const Widened<T>* a =
                  lanesAt<T>(wide[0], repeatAt<T>(together[0], src0, walk, 1, shape, repeat), perRepeat);
              const Widened<T>* b =
                  lanesAt<T>(wide[1], repeatAt<T>(together[1], src1, walk, 2, shape, repeat), perRepeat);
              uint8_t flags[perRepeat];
              for (uint32_t i = 0; i < perRepeat; ++i) flags[i] = holdsFor(a[i], b[i]);
              packBits(dst.address + size_t(repeat) * perRepeat / 8, flags, perRepeat);
            }
          });
        });
}

template <typename T>
void compareScalar(Operand dst, Operand src, T value, CMPMODE mode, const Walk& walk) {
  checkMode<T>(mode, "CompareScalar");
  Shape shape = shapeOf<T>(walk, "CompareScalar");
  const auto written = static_cast<uint32_t>(shape.total / 8);
  issue(comparison("CompareScalar", shape, sizeof(T)),
        {{dst, written, writes, "dst"}, {src, stridedReach(src, walk, 1, shape, sizeof(T)), reads, "src0"}}, [&] {
          withComparison(mode, [&](auto holdsFor) {
            constexpr uint32_t perRepeat = repeatBytes / sizeof(T);
            const auto bound = static_cast<Widened<T>>(value);
            for (uint32_t repeat = 0; repeat < shape.repeats; ++repeat) {
              T together[perRepeat];
              Widened<T> wide[perRepeat];
              const Widened<T>* a = lanesAt<T>(wide, repeatAt<T>(together, src, walk, 1, shape, repeat), perRepeat);
              uint8_t flags[perRepeat];
              for (uint32_t i = 0; i < perRepeat; ++i) flags[i] = holdsFor(a[i], bound);
              packBits(dst.address + size_t(repeat) * perRepeat / 8, flags, perRepeat);
            }
          });
        });
}

namespace {

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
  constexpr uint32_t perBlock = blockBytes / sizeof(T);
  forEachRun<3>(walk, lanes, {sizeof(T), sizeof(T), sizeof(T)}, [&](const std::array<size_t, 3>& offset, size_t n) {
    // The bit of an element is its lane, counted over all repeats; the register form starts again with every repeat.
    uint64_t firstBit = 0;
    if (!lanes.contiguous) {
      uint32_t repeatSpan = walk.repeatStride[0] * blockBytes, blockSpan = walk.blockStride[0] * blockBytes;
      uint64_t repeat = repeatSpan == 0 ? 0 : offset[0] / repeatSpan;
      uint64_t within = offset[0] - repeat * repeatSpan;
      uint64_t block = blockSpan == 0 ? 0 : within / blockSpan;
      firstBit = repeat * lanes.perRepeat + block * perBlock + (within - block * blockSpan) / sizeof(T);
    }
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

// Modes 1 and 2 keep the scalar or the address of the mask in the area of the library.
void checkReserved(SELMODE mode) {
  if (mode != SELMODE::VSEL_CMPMASK_SPR) checkReservedArea("Select");
}

Instruction selection(const Lanes& lanes, uint32_t elementBytes) {
  return {"Select", Pipe::V, vectorCycles(lanes, elementBytes, selectCost.c16), selectCost.tail};
}

uint32_t maskBytes(const Lanes& lanes, SELMODE mode) {
  uint64_t bits = mode == SELMODE::VSEL_CMPMASK_SPR ? lanes.perRepeat : lanes.total;
  return static_cast<uint32_t>((bits + 7) / 8);
}

}  // namespace

template <typename T>
void select(Operand dst, Operand mask, Operand src0, Operand src1, SELMODE mode, const Walk& walk) {
  checkReserved(mode);
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  issue(selection(lanes, sizeof(T)),
        {{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"},
         {mask, maskBytes(lanes, mode), reads, "selMask"},
         {src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"},
         {src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"}},
        [&] {
          selectLanes<T>(dst, mask, src0, mode, walk, lanes, [&](size_t offset, size_t i) {
            return reinterpret_cast<const T*>(src1.address + offset) + i;
          });
        });
}

template <typename T>
void selectScalar(Operand dst, Operand mask, Operand src, T value, SELMODE mode, const Walk& walk) {
  checkReserved(mode);
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 2);
  issue(selection(lanes, sizeof(T)),
        {{dst, reach(walk, lanes, 0, sizeof(T)), writes, "dst"},
         {mask, maskBytes(lanes, mode), reads, "selMask"},
         {src, reach(walk, lanes, 1, sizeof(T)), reads, "src0"}},
        [&] {
          const T values[8] = {value, value, value, value, value, value, value, value};
          selectLanes<T>(dst, mask, src, mode, walk, lanes, [&](size_t, size_t) { return values; });
        });
}

// Lanes that the mask leaves out become 0.
template <typename T>
void compareToRegister(Operand src0, Operand src1, CMPMODE mode, const Walk& walk) {
  checkMode<T>(mode, "Compare");
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
  issue({"Compare", Pipe::V, vectorCycles(lanes, sizeof(T), compareCost.c32), compareCost.tail},
        {{src0, reach(walk, lanes, 1, sizeof(T)), reads, "src0"},
         {src1, reach(walk, lanes, 2, sizeof(T)), reads, "src1"}},
        body);
}

void getCompareMask(Operand dst) {
  constexpr uint32_t required = 128;  // what the destination must have room for; the register fills the first 16 bytes
  issue({"GetCmpMask", Pipe::V, 3, selectCost.tail}, {{dst, required, writes, "dst", registerAlignment}},
        [&] { std::memcpy(dst.address, core->compareMask, sizeof core->compareMask); });
}

void setCompareMask(Operand src) {
  issue({"SetCmpMask", Pipe::V, 3, selectCost.tail}, {{src, sizeof core->compareMask, reads, "src", registerAlignment}},
        [&] { std::memcpy(core->compareMask, src.address, sizeof core->compareMask); });
}

template <typename T>
void selectByRegister(Operand dst, Operand src0, Operand src1, SELMODE mode, const Walk& walk) {
  constexpr uint32_t widths[] = {sizeof(T), sizeof(T), sizeof(T)};
  Lanes lanes = resolve(walk, sizeof(T), widths, 3);
  Operand mask{core->compareMask, 0, src0.position};
  uint32_t maskInMemory = 0;
  if (mode != SELMODE::VSEL_CMPMASK_SPR) {
    checkReserved(mode);
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
  T value;
  std::memcpy(&value, core->compareMask, sizeof value);
  selectScalar<T>(dst, mask, src, value, SELMODE::VSEL_TENSOR_SCALAR_MODE, walk);
}

namespace {

template <typename... T>
constexpr auto comparisons(Types<T...>) {
  return std::make_tuple(&compare<T>..., &compareScalar<T>...);
}
template <typename... T>
constexpr auto selections(Types<T...>) {
  return std::make_tuple(&select<T>..., &selectScalar<T>..., &compareToRegister<T>..., &selectByRegister<T>...,
                         &selectRegisterScalar<T>...);
}
[[gnu::used]] const auto instantiated = std::make_tuple(comparisons(isa::Comparable{}), selections(isa::Floating{}));

}  // namespace
}  // namespace vec
}  // namespace npu_emu
