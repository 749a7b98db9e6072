// Stores of the scalar unit that others see as late, and in as unlike an order, as only DataSyncBarrier forbids: a second witness of
// one that is missing.
//
// A device orders neither stores past the data cache among themselves, nor such a store and a line that is cleaned. Here both are
// kept back until something orders them: DataSyncBarrier, a barrier of all pipes, a wait for other cores, an access of the core's own
// to the same bytes, the end of the kernel. Then the newest store comes first, and the others go on after each: who was told of
// data by a store that is newer reads what was there before. Lines keep their order among themselves.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "costs.h"
#include "sync_point.h"

namespace npu_emu {

// Those of one core.
class LateStores {
 public:
  enum class Kind : uint8_t { Word, Line };
  // A store that memory does not have yet. `release`: what whoever sees it knows then.
  void keepBack(Kind kind, uint8_t* address, const uint8_t* content, uint32_t bytes, Release release);
  // The core touches the bytes. `isStorePastCache`: which no line is kept in order with.
  void landIfTouched(const uint8_t* begin, const uint8_t* end, bool isStorePastCache);
  // All of them, newest first.
  void landAll();
  // Whether memory does not have one yet that goes to some of the bytes.
  bool holds(const uint8_t* begin, const uint8_t* end) const;

 private:
  struct Store {
    Kind kind;
    uint32_t bytes;
    uint8_t* address;
    std::array<uint8_t, cacheLineBytes> content;
    Release release;

    bool touches(const uint8_t* begin, const uint8_t* end) const { return address < end && begin < address + bytes; }
  };
  std::vector<Store> stores_;  // oldest first
  bool isLanding_ = false;

  void land(size_t index);
};

}  // namespace npu_emu
