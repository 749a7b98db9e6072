// What the units of the cube core share.
//
// Layouts (element sizes of half): L1 NZ - columns of 16-wide fractals; L0A ZZ - rows of fractals, each row-major
// (m, k); L0B ZN - rows of fractals along k, each column-major; L0C NZ - columns of 16 x 16 fractals, each row-major.
#pragma once

#include <cstring>

#include "device.h"
#include "numerics.h"
#include "walk.h"

namespace npu_emu::cube {

constexpr uint32_t fractalBytes = 512, fractalSide = 16;

// The hardware keeps the order of products into one accumulator from so many fractals on: a smaller one can overtake
// the one before it.
constexpr uint32_t accumulationOrderFractals = 10;

inline uint32_t clipped(uint64_t bytes) { return static_cast<uint32_t>(std::min<uint64_t>(bytes, UINT32_MAX)); }

inline uint32_t bytesOf(Element element) {
  switch (element) {
    case Element::Float:
    case Element::Int32: return 4;
    case Element::Int8:
    case Element::UInt8:
    case Element::Int4:  // two of them
      return 1;
    default: return 2;
  }
}

// Entries of `handedOver` or `cleared`: of the fractals of sums that a product leaves, or that leave L0C.
struct SumFractals {
  uint64_t *first, *last;
  uint64_t* begin() const { return first; }
  uint64_t* end() const { return last; }
};
constexpr uint32_t sumBytes = fractalSide * fractalSide * 4;
inline size_t sumFractalAt(const uint8_t* sums) {
  const auto offset = static_cast<size_t>(sums - core->memory[static_cast<size_t>(Memory::L0C)]);
  return std::min<size_t>(sumFractals, offset / sumBytes);
}
inline SumFractals sumFractalsOf(std::array<uint64_t, sumFractals>& all, const uint8_t* sums, uint64_t bytes) {
  const auto offset = static_cast<size_t>(sums - core->memory[static_cast<size_t>(Memory::L0C)]);
  const size_t first = sumFractalAt(sums);
  const size_t last = std::min<uint64_t>(all.size(), (offset + bytes + sumBytes - 1) / sumBytes);
  return {all.data() + first, all.data() + std::max(first, last)};
}
// Of what hands over, or clears, the fractals from these sums on; and of whom it was, by its number.
inline uint64_t nextHandOver(const uint8_t* sums) { return ++core->cube.handOvers * sumFractals + sumFractalAt(sums); }
inline uint32_t tokenOf(uint32_t first, uint64_t handOver) {
  return first + static_cast<uint32_t>(handOver % sumFractals);
}

constexpr uint32_t cubeTail = 20;  // cycles until results of the cube core are visible

// Elements of the cube core have 4 to 32 bits.
inline void requireBits(const char* instruction, uint32_t bits) {
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32)
    trap({Check::ParameterRange, instruction, text("it does not work on elements of %u bits", bits), ""});
}

inline void requireRange(const char* name, const char* field, uint64_t value, uint64_t lowest, uint64_t highest) {
  if (value >= lowest && value <= highest) return;
  trap({Check::ParameterRange, name,
        text("%s is %llu; it has to be in %llu..%llu", field, static_cast<unsigned long long>(value),
             static_cast<unsigned long long>(lowest), static_cast<unsigned long long>(highest)),
        "split the call into parts within the range"});
}

// Elements of a fractal along k.
inline uint32_t widthOf(Element element) { return element == Element::Int4 ? 64 : blockBytes / bytesOf(element); }

// Cycles that a load of so many bytes keeps the pipe busy.
inline uint32_t loadCycles(Memory memory, uint32_t bytes) { return 2 + bytes / (memory == Memory::L0A ? 256 : 128); }

// The memory an operand lies in, by its buffer where it has one.
inline Memory memoryHolding(const Operand& operand) {
  const Buffer& buffer = bufferOf(operand);
  return buffer.base != nullptr ? buffer.memory : memoryOf(operand.position);
}

// Bytes that copies to a table of bias or scales count in; 0: the memory is none.
uint32_t tableUnit(Memory memory);

// L0A or L0B.
inline Memory destinationOf(const char* name, const Operand& dst) {
  Memory memory = memoryHolding(dst);
  if (memory != Memory::L0A && memory != Memory::L0B)
    trap({Check::ErrorBuffer3, name, text("dst is in %s; data is loaded to L0A or L0B", nameOf(memory)),
          "use a buffer at TPosition::A2 or TPosition::B2"});
  return memory;
}

// ---- squares of elements, turned in registers ----------------------------------------------------------------------

typedef uint32_t Words8 __attribute__((vector_size(32)));
typedef uint16_t Halves8 __attribute__((vector_size(16)));

// The columns of an 8 x 8 square of 32 bits from its rows.
inline void turn8(Words8 (&v)[8]) {
  Words8 pairs[8], fours[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = __builtin_shufflevector(v[i], v[i + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[i + 1] = __builtin_shufflevector(v[i], v[i + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int i = 0; i < 8; i += 4) {
    for (int j = 0; j < 2; ++j) {
      fours[i + 2 * j] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      fours[i + 2 * j + 1] = __builtin_shufflevector(pairs[i + j], pairs[i + j + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int i = 0; i < 4; ++i) {
    v[i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    v[i + 4] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// The same for 16 bits.
inline void turn8(Halves8 (&v)[8]) {
  Halves8 pairs[8], fours[8];
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = __builtin_shufflevector(v[i], v[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    pairs[2 * i + 1] = __builtin_shufflevector(v[i], v[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; ++i) {
    fours[2 * i] = __builtin_shufflevector(pairs[i], pairs[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    fours[2 * i + 1] = __builtin_shufflevector(pairs[i], pairs[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
  for (int i = 0; i < 4; ++i) {
    v[2 * i] = __builtin_shufflevector(fours[i], fours[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    v[2 * i + 1] = __builtin_shufflevector(fours[i], fours[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

// An 8 x 8 square of `in` to its mirrored place in `out`; strides in elements.
template <typename Lanes, typename T>
inline void turnSquare(T* out, size_t outStride, const T* in, size_t inStride) {
  Lanes v[8];
  for (int i = 0; i < 8; ++i) std::memcpy(&v[i], in + i * inStride, sizeof(Lanes));
  turn8(v);
  for (int i = 0; i < 8; ++i) std::memcpy(out + i * outStride, &v[i], sizeof(Lanes));
}

}  // namespace npu_emu::cube
