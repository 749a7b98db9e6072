// A map of intervals of global memory that do not overlap, by their first byte.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "access.h"
#include "clock.h"

namespace npu_emu {

struct Core;

// Who accessed the bytes of an interval last. Neighbouring accesses of one core and pipe become one interval.
struct GmInterval {
  const uint8_t* end;
  const Core* core;
  Pipe pipe;
  uint32_t count;     // of the instruction on its pipe; of the last one where neighbours became one interval
  uint32_t barrier;   // barriers over all cores of its kind that the core had passed
  uint32_t releases;  // how often the core had released its clock: neighbours join only in between
  AtomicKind atomic;
  const char* instruction;
  CallPath where;
};

class IntervalMap : public std::map<const uint8_t*, GmInterval> {
 public:
  // The first interval that begins behind the address.
  iterator firstBehind(const uint8_t* address);
  // The interval before that, which may reach behind the address; the first one where there is none.
  iterator lastFrom(const uint8_t* address);
  // Parts of intervals, by their first byte.
  using Parts = std::vector<std::pair<const uint8_t*, GmInterval>>;
  // Replaces what was there, and joins the interval to the one before it where it continues that one. `replaced` gets what is
  // not there any more.
  void add(const uint8_t* begin, const GmInterval& interval, Parts* replaced = nullptr);
  // Cuts [begin, end) out of what is there.
  void cut(const uint8_t* begin, const uint8_t* end, Parts* replaced = nullptr);

 private:
  // The next access is near an earlier one: the place of that is remembered, so that most are found at once.
  static constexpr size_t cachedPlaces = 8;
  std::array<iterator, cachedPlaces> cached_{};
  std::array<bool, cachedPlaces> isCached_{};

  iterator remove(iterator interval);
};

}  // namespace npu_emu
