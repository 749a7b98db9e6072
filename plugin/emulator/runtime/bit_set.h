// Sets of bits in words of 64, ranges of which are set and asked for at once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace npu_emu {

// Calls f(word index, bits of that word) for the ends of a range of bits, and g(first word, last word) for what is
// between.
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

// 64 bits from any place on. The word after the last one is read as well.
inline uint64_t wordFrom(const uint64_t* bits, uint32_t shift) {
  return bits[0] >> shift | bits[1] << 1 << (63 - shift);
}

// The first bit of [begin, end) that is one, where `flip` turns zeros into ones; `end` where there is none.
inline uint32_t firstBit(const std::vector<uint64_t>& bits, uint32_t begin, uint32_t end, uint64_t flip) {
  if (begin >= end) return end;
  const uint32_t last = (end - 1) / 64;
  uint32_t word = begin / 64;
  uint64_t left = (bits[word] ^ flip) & ~uint64_t(0) << (begin % 64);
  while (left == 0 && word < last) left = bits[++word] ^ flip;
  return left == 0 ? end : std::min(end, word * 64 + static_cast<uint32_t>(__builtin_ctzll(left)));
}

}  // namespace npu_emu
