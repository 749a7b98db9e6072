#include "global_shadow.h"

#include <algorithm>

#include "core.h"

namespace npu_emu {

bool GlobalShadow::isOrdered(const GmInterval& access, const Core& self) {
  if (self.otherCores.barriers[access.core->isCube ? 1 : 0] > access.barrier) return true;
  const VectorClock* known = self.otherCores.of(access.core->number);
  return known != nullptr && (*known)[static_cast<size_t>(access.pipe)] >= access.count;
}

bool GlobalShadow::isStoredByAnother(const uint8_t* begin, const uint8_t* end, const Core& self, Order order) {
  flushRows(begin, end);
  for (auto store = writes.lastFrom(begin); store != writes.end() && store->first < end; ++store)
    if (store->second.end > begin && store->second.core != &self &&
        (order == Order::Any || isOrdered(store->second, self)))
      return true;
  return false;
}

bool GlobalShadow::areOrdered(const GmAccess& first, const GmRows& rows, const Core& self, bool& own) {
  const bool oneRun = rows.distance == rows.bytes;
  auto isOrderedAfter = [&](const GmInterval& other, bool otherWrites) {
    if (!first.write && !otherWrites) return true;
    if (other.core == &self) return own = true;
    return isOrdered(other, self) || commute(first.atomic, other.atomic);
  };
  for (const NotedRows& other : rows_) {
    if (!other.rows.touches(rows)) continue;
    if (other.write == first.write && !(other.rows == rows)) return false;
    if (!isOrderedAfter(other.interval, other.write)) return false;
  }
  const uint8_t* end = rows.end();
  for (const bool otherWrites : {true, false}) {
    IntervalMap& others = otherWrites ? writes : reads;
    const bool mayTouch = oneRun || otherWrites != first.write;
    uint64_t steps = 0;
    for (auto other = others.lastFrom(rows.begin); other != others.end() && other->first < end; ++other) {
      if (++steps > rows.rows + 1) return false;
      if (rows.touches(other->first, other->second.end) && !(mayTouch && isOrderedAfter(other->second, otherWrites)))
        return false;
    }
  }
  return true;
}

void GlobalShadow::addRows(bool write, const GmRows& rows, const GmInterval& interval) {
  constexpr size_t limit = 32;
  if (rows.distance == rows.bytes) {
    GmInterval whole = interval;
    whole.end = rows.end();
    return (write ? writes : reads).add(rows.begin, whole);
  }
  auto same = std::find_if(rows_.begin(), rows_.end(),
                           [&](const NotedRows& other) { return other.write == write && other.rows == rows; });
  if (same != rows_.end()) {
    same->interval = interval;
    return;
  }
  if (rows_.size() == limit) {
    const auto older = rows_.begin() + limit / 2;
    std::for_each(rows_.begin(), older, [&](const NotedRows& each) { flush(each); });
    rows_.erase(rows_.begin(), older);
  }
  rows_.push_back({write, rows, interval});
}

// They have no bytes with other accesses of their kind, so that it does not matter when they become intervals.
void GlobalShadow::flushRows(const uint8_t* begin, const uint8_t* end) {
  for (size_t i = rows_.size(); i-- > 0;) {
    if (!rows_[i].rows.touches(begin, end)) continue;
    flush(rows_[i]);
    rows_.erase(rows_.begin() + static_cast<ptrdiff_t>(i));
  }
}

void GlobalShadow::flush(const NotedRows& noted) {
  for (uint64_t row = 0; row < noted.rows.rows; ++row) {
    GmInterval interval = noted.interval;
    interval.end = noted.rows.at(row) + noted.rows.bytes;
    (noted.write ? writes : reads).add(noted.rows.at(row), interval);
  }
}

void GlobalShadow::forget(const uint8_t* begin, const uint8_t* end) {
  flushRows(begin, end);
  for (IntervalMap* intervals : {&writes, &reads, &invalid}) intervals->cut(begin, end);
}

}  // namespace npu_emu
