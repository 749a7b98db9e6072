// Which bytes of which memory an instruction accesses, and where it was issued.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "call_path.h"

namespace npu_emu {

// The local memories of a core.
enum class Memory : uint8_t { UB, L1, L0A, L0B, L0C, BT, FB };
constexpr size_t memoryCount = 7;
constexpr size_t ubIndex = static_cast<size_t>(Memory::UB);
const char* nameOf(Memory memory);

// Shadow memory is kept by cells of 32 bytes, and by pages of so many cells.
constexpr uint32_t cellBytes = 32, cellsPerPage = 32, pageBytes = cellBytes * cellsPerPage;

// Where the lanes of a vector instruction lie in an operand: not known; one element after the other; in the lower or the
// upper half of each block; two in a byte.
enum class LanePlace : uint8_t { Unknown, Elements, LowerHalves, UpperHalves, Nibbles };

// Bytes of an operand: `rows` times `blocks` runs of `bytes`.
struct Runs {
  uint32_t bytes = 0;
  uint32_t rows = 1, rowStride = 0, blocks = 1, blockStride = 0;
  uint16_t elementBytes = 0;  // 0: not known
  // of an operand that is walked by lanes
  LanePlace place = LanePlace::Unknown;
  uint8_t operand = 0;

  bool isOne() const { return rows * blocks == 1; }
};

// Whether so many bytes lie in a memory. They may be what no kernel asks for: bytes that go beyond the last address there is.
inline bool isWithin(const uint8_t* address, uint64_t bytes, const uint8_t* begin, uint64_t size) {
  const uint64_t offset = reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(begin);
  return offset <= size && bytes <= size - offset;
}

struct LocalAccess {
  uint8_t memory;  // a Memory
  bool write;
  uint32_t offset;
  Runs runs;
  const char* role;
  uint32_t ahead = 0;  // bytes of the operand in front of the first run
};

// Bytes from the first one to the last.
inline uint64_t spanOf(const Runs& runs) {
  return uint64_t(runs.rows - 1) * runs.rowStride + uint64_t(runs.blocks - 1) * runs.blockStride + runs.bytes;
}

// Behind the last byte.
inline uint32_t endOf(const LocalAccess& access) {
  const Runs& runs = access.runs;
  return access.offset + (runs.rows - 1) * runs.rowStride + (runs.blocks - 1) * runs.blockStride + runs.bytes;
}

// The cells of a range of bytes, parts of cells included.
inline uint32_t firstCell(uint32_t begin) { return begin / cellBytes; }
inline uint32_t endCell(uint32_t end) { return (end + cellBytes - 1) / cellBytes; }

// The bytes of a cell that lie in [begin, end), one bit each.
inline uint32_t bytesOfCell(uint32_t cell, uint32_t begin, uint32_t end) {
  uint32_t low = cell * cellBytes, from = begin > low ? begin - low : 0, to = std::min(end - low, cellBytes);
  return (to == cellBytes ? ~0u : (1u << to) - 1) & ~((1u << from) - 1);
}

// Calls f(begin, end) for each run.
template <typename F>
void forEachRange(const LocalAccess& access, F f) {
  const Runs& runs = access.runs;
  for (uint32_t row = 0; row < runs.rows; ++row)
    for (uint32_t block = 0; block < runs.blocks; ++block) {
      uint32_t begin = access.offset + row * runs.rowStride + block * runs.blockStride;
      f(begin, begin + runs.bytes);
    }
}

// Of an atomic write: operation and type, so that two of one kind may come in any order. 0: not atomic.
using AtomicKind = uint8_t;

// Of scalar accesses past the data cache, by which cores tell each other something: they meet in the same word without being a
// race, and the compiler orders none of them against copies.
constexpr AtomicKind flagKind = 255;
// Of loads from a line that the core has cleaned, to see what others have stored in it.
constexpr AtomicKind lookKind = 254;

// Sums of sums, or maxima of maxima; a sum and a maximum do not.
inline bool commute(AtomicKind one, AtomicKind other) { return one != 0 && one == other; }

struct GmAccess {
  const uint8_t* begin;
  const uint8_t* end;
  bool write;
  AtomicKind atomic;
  const uint8_t *changedBegin, *changedEnd;  // outside of these, the bytes written are those that were there before
};

// Rows of global memory at one distance, which is no less than their length.
struct GmRows {
  const uint8_t* begin;
  uint64_t bytes, distance;  // of a row; from one to the next
  uint64_t rows;

  const uint8_t* at(uint64_t row) const { return begin + row * distance; }
  const uint8_t* end() const { return at(rows - 1) + bytes; }
  bool operator==(const GmRows& other) const {
    return begin == other.begin && bytes == other.bytes && distance == other.distance && rows == other.rows;
  }
  // Whether a row has bytes in [from, to).
  bool touches(const uint8_t* from, const uint8_t* to) const;
  bool touches(const GmRows& other) const;  // true as well where it would take long to tell
};

// Where an instruction was issued.
struct Site {
  const char* instruction;
  CallPath path;
};

}  // namespace npu_emu
