// Sets of bits, and the runs of bytes that an access touches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core.h"

namespace npu_emu {

// A cell is a block of local memory; valid bytes and marks are kept by pages as well.
constexpr uint32_t cellBytes = 32, cellsPerPage = 32, pageBytes = cellBytes * cellsPerPage;
constexpr size_t ubIndex = static_cast<size_t>(Memory::UB);

template <typename F>
void forEachRun(const LocalAccess& access, F f) {
  const Runs& runs = access.runs;
  for (uint32_t row = 0; row < runs.rows; ++row)
    for (uint32_t block = 0; block < runs.blocks; ++block) {
      uint32_t begin = access.offset + row * runs.rowStride + block * runs.blockStride;
      f(begin, begin + runs.bytes);
    }
}

// Calls f(word index, bits of that word) for the ends of a range of bits, and g(first word, last word) for what is between.
template <typename F, typename G>
void forEachWord(uint32_t begin, uint32_t end, F f, G g) {
  if (begin >= end) return;
  uint32_t first = begin / 64, last = end / 64;
  uint64_t head = ~uint64_t(0) << (begin % 64), tail = (uint64_t(1) << (end % 64)) - 1;
  if (first == last) {
    f(first, head & tail);
    return;
  }
  if (begin % 64 != 0) f(first++, head);
  if (first < last) g(first, last);
  if (tail != 0) f(last, tail);
}

inline void setBits(std::vector<uint64_t>& bits, uint32_t begin, uint32_t end, bool value) {
  forEachWord(
      begin, end, [&](uint32_t word, uint64_t mask) { bits[word] = value ? bits[word] | mask : bits[word] & ~mask; },
      [&](uint32_t first, uint32_t last) {
        std::fill(bits.begin() + first, bits.begin() + last, value ? ~uint64_t(0) : 0);
      });
}

inline bool allSet(const std::vector<uint64_t>& bits, uint32_t begin, uint32_t end) {
  bool all = true;
  forEachWord(
      begin, end, [&](uint32_t word, uint64_t mask) { all &= (bits[word] & mask) == mask; },
      [&](uint32_t first, uint32_t last) {
        uint64_t common = ~uint64_t(0);
        for (uint32_t word = first; word < last; ++word) common &= bits[word];
        all &= common == ~uint64_t(0);
      });
  return all;
}

inline bool anySet(const std::vector<uint64_t>& bits, uint32_t begin, uint32_t end) {
  uint64_t any = 0;
  forEachWord(
      begin, end, [&](uint32_t word, uint64_t mask) { any |= bits[word] & mask; },
      [&](uint32_t first, uint32_t last) {
        for (uint32_t word = first; word < last; ++word) any |= bits[word];
      });
  return any != 0;
}

// Bits of the bytes of a cell that lie in [begin, end).
inline uint32_t bitsIn(uint32_t cell, uint32_t begin, uint32_t end) {
  uint32_t low = cell * cellBytes, from = begin > low ? begin - low : 0, to = std::min(end - low, cellBytes);
  return (to == cellBytes ? ~0u : (1u << to) - 1) & ~((1u << from) - 1);
}

// A count with a mark of its own for accesses to a part of the cell.
constexpr uint32_t tagOf(uint32_t count, bool partial) { return count << 1 | (partial ? 1 : 0); }

}  // namespace npu_emu
