// The data cache of the scalar unit, which nothing keeps in step with memory: what it stores is seen by copies, and what copies
// store is seen by it, once the kernel has cleaned the line (DataCacheCleanAndInvalid).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "costs.h"

namespace npu_emu {

// The first byte of the line that the address lies in.
inline const uint8_t* lineOf(const uint8_t* address) {
  return address - reinterpret_cast<uintptr_t>(address) % cacheLineBytes;
}

class DataCache {
 public:
  // Whether the line of the address is held; it is from now on. The one in its place goes back to memory. `keepsContent`: others
  // may store there, and all of the line is memory that can be read.
  bool hold(const uint8_t* address, bool keepsContent);
  // The line of the address, which is held, comes while the scalar unit goes on; `now`: the cycles that this has worked. One comes
  // after the other: nothing is known of how many the device fetches at a time.
  void preload(const uint8_t* address, double now);
  // The cycles until the line of the address, which is held, is there.
  uint32_t cyclesUntilThere(const uint8_t* address, double now) const;
  // Of so many bytes the line holds what memory has now.
  void refresh(const uint8_t* address, uint64_t bytes);
  // The scalar unit has stored so many bytes of a line that is held. `isChange`: memory has others.
  void store(const uint8_t* address, uint64_t bytes, bool isChange);
  // What a line had before the core stored to it, and which of its bytes, one bit each; none where the line is not kept.
  struct Stored {
    uint64_t bytes = 0;
    std::array<uint8_t, cacheLineBytes> before{};
  };
  // Remembers what so many bytes are before they are stored.
  void keepBefore(const uint8_t* address, uint64_t bytes);
  Stored storedIn(const uint8_t* address) const;
  // A store has gone past the cache there. True where it meets bytes that the cache has and memory has not: they will go over its.
  bool storeAround(const uint8_t* begin, const uint8_t* end);
  // Whether the cache has bytes there that memory has not.
  bool isAheadOfMemory(const uint8_t* begin, const uint8_t* end) const;
  // Whether such a store of the core has met one of so many bytes since their line is held.
  bool isBehindMemory(const uint8_t* address, uint64_t bytes) const;
  // Whether memory has got other values there since then, whoever has stored them.
  bool differsFromMemory(const uint8_t* address, uint64_t bytes) const;
  bool hasStored() const { return ahead_ != 0; }
  // The bytes of which memory has other values than a line that has been stored to: they are lost when it is written back whole. Of
  // all lines, or of that of the address. What a copy of the core has stored over its own SetValue is told when it is copied.
  std::vector<const uint8_t*> lostTo(const uint8_t* address = nullptr) const;
  // The line that goes back to memory when that of the address comes, if any.
  const uint8_t* lineInPlaceOf(const uint8_t* address) const;
  // All lines are free, or that of the address.
  void clean();
  void clean(const uint8_t* address);

 private:
  static constexpr uint32_t lines = dataCacheBytes / cacheLineBytes;
  struct Line {
    uintptr_t number = 0;  // 0: free
    uint64_t stored = 0;   // a bit for each byte that only the cache has
    uint64_t old = 0;      // the same for bytes of which memory has newer ones
    double comesAt = 0;    // where it was preloaded
    bool hasContent = false;
    bool isDirty = false;  // stored to, if only with what was there
  };
  void addLost(uint32_t index, std::vector<const uint8_t*>& lost) const;
  template <typename Visit>
  void forEachIn(const uint8_t* begin, const uint8_t* end, Visit visit) const;

  std::vector<Line> held_;  // empty until one is held
  std::vector<std::array<uint8_t, cacheLineBytes>> content_;
  std::vector<std::array<uint8_t, cacheLineBytes>>
      before_;  // of bytes that have been stored, where somebody keeps them
  double lastComesAt_ = 0;
  uint32_t used_ = 0, ahead_ = 0;  // lines that are held, and that have bytes of their own
};

}  // namespace npu_emu
