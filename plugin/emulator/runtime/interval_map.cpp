#include "interval_map.h"

#include <algorithm>

namespace npu_emu {

IntervalMap::iterator IntervalMap::firstBehind(const uint8_t* address) {
  if (empty() || rbegin()->first <= address) return end();  // a core goes on where no other has been
  constexpr size_t nearBytes = 4096;
  const size_t place = reinterpret_cast<uintptr_t>(address) / nearBytes % cachedPlaces;
  if (isCached_[place] && cached_[place]->first <= address) {
    for (int steps = 2; steps > 0; --steps) {  // what was found the last time, or what was added behind it
      auto interval = std::next(cached_[place]);
      if (interval == end() || interval->first > address) return interval;
      cached_[place] = interval;
    }
  }
  auto interval = upper_bound(address);
  isCached_[place] = interval != begin();
  if (isCached_[place]) cached_[place] = std::prev(interval);
  return interval;
}

IntervalMap::iterator IntervalMap::lastFrom(const uint8_t* address) {
  auto interval = firstBehind(address);
  return interval == begin() ? interval : std::prev(interval);
}

IntervalMap::iterator IntervalMap::remove(iterator interval) {
  for (size_t i = 0; i < cachedPlaces; ++i) isCached_[i] = isCached_[i] && cached_[i] != interval;
  return erase(interval);
}

// Whether an access directly behind, or to bytes of, an interval continues it.
static bool continues(const GmInterval& before, const GmInterval& next) {
  return before.core == next.core && before.pipe == next.pipe && before.barrier == next.barrier &&
         before.releases == next.releases && before.atomic == next.atomic;
}

void IntervalMap::add(const uint8_t* begin, const GmInterval& interval, Parts* replaced) {
  constexpr size_t limit = size_t(1) << 20;
  if (size() > limit) return;
  auto next = firstBehind(begin);
  const bool freeBehind = next == end() || next->first >= interval.end;
  bool freeBefore = true;
  if (next != this->begin()) {
    auto before = std::prev(next);
    freeBefore = before->second.end <= begin;
    if (before->second.end >= begin && continues(before->second, interval)) {
      // rows noted as one become intervals late: their count may be the smaller one
      before->second.count = std::max(before->second.count, interval.count);
      if (before->second.end >= interval.end) return;
      if (!freeBehind) {
        const uint8_t* start = before->first;
        cut(before->second.end, interval.end, replaced);
        before = find(start);
      }
      before->second.end = interval.end;
      return;
    }
  }
  if (freeBefore && freeBehind) {
    emplace_hint(next, begin, interval);
    return;
  }
  cut(begin, interval.end, replaced);
  emplace(begin, interval);
}

void IntervalMap::cut(const uint8_t* begin, const uint8_t* end, Parts* replaced) {
  auto interval = lastFrom(begin);
  while (interval != this->end() && interval->first < end) {
    const GmInterval old = interval->second;
    const uint8_t* start = interval->first;
    if (old.end <= begin) {
      ++interval;
      continue;
    }
    if (replaced != nullptr) {
      GmInterval part = old;
      part.end = std::min(old.end, end);
      replaced->push_back({std::max(start, begin), part});
    }
    if (start < begin) {
      interval->second.end = begin;
      ++interval;
    } else {
      interval = remove(interval);
    }
    if (old.end > end) interval = std::next(emplace(end, old).first);
  }
}

}  // namespace npu_emu
