// Which bytes of UB hold something that was written: a bit for each byte, as the V-bits of Memcheck are for each bit
// (Seward and Nethercote, USENIX 2005).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "access.h"

namespace npu_emu {

class ValidBytes {
 public:
  explicit ValidBytes(uint32_t capacity = 0);
  void clear();
  void set(uint32_t begin, uint32_t end);
  void set(const LocalAccess& access);
  void unset(uint32_t begin, uint32_t end);
  // Sets all but those whose bit is set in `invalid`, of which the first bit is that of the first byte of the access.
  void setExcept(const LocalAccess& access, const std::vector<uint64_t>& invalid);
  // Makes each element of one run as valid as those of the sources: runs as long, in the same place or apart from it.
  // Whether all of them are.
  bool setFrom(const LocalAccess& target, const std::vector<const LocalAccess*>& sources);

  bool areValid(uint32_t begin, uint32_t end) { return areCached(begin, end) || findValid(begin, end); }
  bool areValid(const LocalAccess& access) { return areCached(access) || findValid(access); }
  // Whether they are known to be valid without a look at the bits; where this is false, they may yet be.
  bool areCached(const LocalAccess& access) { return areCached(access.offset, endOf(access)); }
  // The first byte of the range that is valid, or is not; `end` where there is none.
  uint32_t firstValid(uint32_t begin, uint32_t end) const;
  uint32_t firstInvalid(uint32_t begin, uint32_t end) const;
  // Where the last page ends that is known to be valid throughout; 0 where most of those before it are not.
  uint32_t endOfMostlyValid() const;
  // The bit of a byte, at `byte % 64` of the word; words can be read past the last byte.
  const uint64_t* wordOf(uint32_t byte) const { return bits_.data() + byte / 64; }

 private:
  // What was found to be valid stays so until bits are cleared, which begins another generation of both caches.
  struct CachedRange {
    uint32_t begin, end, generation;
  };
  // An access of several runs; such accesses come again and again.
  struct CachedAccess {
    uint32_t offset;
    Runs runs;
    uint32_t generation;
  };
  static constexpr size_t cachedRanges = 256, cachedAccesses = 64;

  std::vector<uint64_t> bits_;
  std::vector<uint64_t> validPages_;                     // a bit for each page whose bytes are all known to be valid
  std::array<CachedRange, cachedRanges> ranges_{};       // by the KiB that they were looked for from
  std::array<CachedAccess, cachedAccesses> accesses_{};  // by the six upper bits of a hash
  uint32_t capacity_, generation_ = 1;

  CachedRange& rangeFrom(uint32_t begin) { return ranges_[begin / 1024 % cachedRanges]; }
  bool areCached(uint32_t begin, uint32_t end) {
    const CachedRange& found = rangeFrom(begin);
    return found.generation == generation_ && found.begin <= begin && end <= found.end;
  }
  void invalidate(uint32_t begin, uint32_t end);
  bool areBitsSet(uint32_t begin, uint32_t end);
  bool findValid(uint32_t begin, uint32_t end);
  bool findValid(const LocalAccess& access);
  CachedAccess& cachedAccess(const LocalAccess& access);
  bool isCachedAccess(const LocalAccess& access);
};

// Bits of bytes, spread over a whole element of 1, 2, 4 or 8 bytes where one of them is set.
class ElementBits {
 public:
  explicit ElementBits(uint32_t bytes)
      : near_(bytes > 1 ? 1 : 0),
        far_(bytes > 2 ? 2 : 0),
        farthest_(bytes > 4 ? 4 : 0),
        first_(~uint64_t(0) / ((uint64_t(1) << bytes) - 1)) {}

  uint64_t spread(uint64_t bits) const {
    bits |= bits >> near_, bits |= bits >> far_, bits |= bits >> farthest_;
    bits &= first_;
    bits |= bits << near_, bits |= bits << far_, bits |= bits << farthest_;
    return bits;
  }

 private:
  uint32_t near_, far_, farthest_;  // shifts without a branch, so that loops over words become vector code
  uint64_t first_ = 0;              // of each element
};

}  // namespace npu_emu
