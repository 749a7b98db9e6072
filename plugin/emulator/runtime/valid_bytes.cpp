#include "valid_bytes.h"

#include <algorithm>

#include "bit_set.h"

namespace npu_emu {

// Words are read and written past the last byte where a range is shifted.
ValidBytes::ValidBytes(uint32_t capacity)
    : bits_(capacity / 64 + 4), validPages_((capacity / pageBytes + 63) / 64 + 1), capacity_(capacity) {}

void ValidBytes::clear() {
  ++generation_;
  std::fill(bits_.begin(), bits_.end(), 0);
  std::fill(validPages_.begin(), validPages_.end(), 0);
}

uint32_t ValidBytes::endOfMostlyValid() const {
  uint32_t pages = 0, end = 0;
  for (size_t word = 0; word < validPages_.size(); ++word) {
    const uint64_t bits = validPages_[word];
    if (bits == 0) continue;
    pages += static_cast<uint32_t>(__builtin_popcountll(bits));
    end = static_cast<uint32_t>(word * 64 + 64) - static_cast<uint32_t>(__builtin_clzll(bits));
  }
  return 2 * pages < end ? 0 : end * pageBytes;
}

void ValidBytes::set(uint32_t begin, uint32_t end) {
  setBits(bits_, begin, end, true);
  if (end - begin >= pageBytes) setBits(validPages_, (begin + pageBytes - 1) / pageBytes, end / pageBytes, true);
}

void ValidBytes::set(const LocalAccess& access) {
  if (areValid(access)) return;
  forEachRange(access, [&](uint32_t begin, uint32_t end) { set(begin, end); });
}

void ValidBytes::setExcept(const LocalAccess& access, const std::vector<uint64_t>& invalid) {
  uint64_t lost = 0;
  forEachRange(access, [&](uint32_t begin, uint32_t end) {
    const uint64_t* except = invalid.data();
    auto change = [&](uint32_t word, uint64_t before, uint64_t all, uint64_t cleared) {
      bits_[word] = (before | all) & ~cleared;
      lost |= before & cleared;
    };
    forEachWord(
        begin, end,
        [&](uint32_t word, uint64_t all) {
          const uint32_t from = std::max(begin, word * 64), at = from - access.offset;
          change(word, bits_[word], all, wordFrom(except + at / 64, at % 64) << from % 64 & all);
        },
        [&](uint32_t first, uint32_t last) {
          const uint32_t at = first * 64 - access.offset;
          for (uint32_t word = first; word < last; ++word)
            change(word, bits_[word], ~uint64_t(0), wordFrom(except + at / 64 + (word - first), at % 64));
        });
  });
  if (lost != 0) invalidate(access.offset, endOf(access));
}

bool ValidBytes::setFrom(const LocalAccess& target, const std::vector<const LocalAccess*>& sources) {
  const uint32_t length = target.runs.bytes;
  const ElementBits elements(target.runs.elementBytes);
  uint64_t lost = 0, invalid = 0;
  auto change = [&](uint32_t word, uint64_t all, uint64_t cleared) {
    const uint64_t before = bits_[word];
    bits_[word] = (before | all) & ~cleared;
    lost |= before & cleared;
  };
  for (uint32_t at = 0; at < length; at += 64) {
    const uint64_t all = ~uint64_t(0) >> (length - at < 64 ? 64 - (length - at) : 0);
    uint64_t cleared = 0;
    for (const LocalAccess* source : sources)
      cleared |= ~wordFrom(&bits_[(source->offset + at) / 64], source->offset % 64);
    cleared = elements.spread(cleared & all);
    invalid |= cleared;
    const uint32_t word = (target.offset + at) / 64, shift = target.offset % 64;
    change(word, all << shift, cleared << shift);
    if (shift != 0) change(word + 1, all >> (64 - shift), cleared >> (64 - shift));
  }
  if (lost != 0) invalidate(target.offset, endOf(target));
  return invalid == 0;
}

// Bits of these bytes were cleared.
void ValidBytes::unset(uint32_t begin, uint32_t end) {
  if (begin == end) return;
  setBits(bits_, begin, end, false);
  invalidate(begin, end);
}

void ValidBytes::invalidate(uint32_t begin, uint32_t end) {
  ++generation_;
  setBits(validPages_, begin / pageBytes, (end + pageBytes - 1) / pageBytes, false);
}

bool ValidBytes::findValid(uint32_t begin, uint32_t end) {
  constexpr uint32_t reach = 16384;  // how far behind the range it is worth a look
  if (!areBitsSet(begin, end)) return false;
  CachedRange& found = rangeFrom(begin);
  if (found.generation != generation_ || begin < found.begin || begin > found.end) found.begin = begin;
  found.end = firstInvalid(end, std::min(end + reach, capacity_));
  found.generation = generation_;
  return true;
}

bool ValidBytes::areBitsSet(uint32_t begin, uint32_t end) {
  uint32_t first = (begin + pageBytes - 1) / pageBytes, last = end / pageBytes;
  if (first >= last) return allSet(bits_, begin, end);
  if (!allSet(bits_, begin, first * pageBytes) || !allSet(bits_, last * pageBytes, end)) return false;
  if (allSet(validPages_, first, last)) return true;
  if (!allSet(bits_, first * pageBytes, last * pageBytes)) return false;
  setBits(validPages_, first, last, true);
  return true;
}

bool ValidBytes::findValid(const LocalAccess& access) {
  if (!access.runs.isOne() && isCachedAccess(access)) return true;
  if (findValid(access.offset, endOf(access))) return true;
  if (access.runs.isOne()) return false;
  bool all = true;
  forEachRange(access, [&](uint32_t begin, uint32_t end) { all = all && areValid(begin, end); });
  if (all) cachedAccess(access) = {access.offset, access.runs, generation_};
  return all;
}

ValidBytes::CachedAccess& ValidBytes::cachedAccess(const LocalAccess& access) {
  // tensors lie powers of two apart: all bits of the place have to count
  const uint32_t hash = (access.offset / cellBytes + access.runs.bytes / 4 + access.runs.rows) * 0x9e3779b1u;
  return accesses_[hash >> 26];
}

bool ValidBytes::isCachedAccess(const LocalAccess& access) {
  const CachedAccess& cached = cachedAccess(access);
  const Runs &one = cached.runs, &other = access.runs;
  return cached.generation == generation_ && cached.offset == access.offset && one.bytes == other.bytes &&
         one.rows == other.rows && one.rowStride == other.rowStride && one.blocks == other.blocks &&
         one.blockStride == other.blockStride;
}

uint32_t ValidBytes::firstValid(uint32_t begin, uint32_t end) const { return firstBit(bits_, begin, end, 0); }

uint32_t ValidBytes::firstInvalid(uint32_t begin, uint32_t end) const {
  return firstBit(bits_, begin, end, ~uint64_t(0));
}

}  // namespace npu_emu
