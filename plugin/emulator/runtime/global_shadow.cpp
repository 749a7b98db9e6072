#include "global_shadow.h"

#include <algorithm>

#include "core.h"

namespace npu_emu {

bool GlobalShadow::knowsBarrier(const Core& self, const Core& other, uint32_t barrier) {
  return self.otherCores.barriers[other.isCube ? 1 : 0] > barrier;
}

bool GlobalShadow::isOrdered(const GmInterval& access, const Core& self) {
  if (knowsBarrier(self, *access.core, access.barrier)) return true;
  const VectorClock* known = self.otherCores.of(access.core->number);
  return known != nullptr && (*known)[static_cast<size_t>(access.pipe)] >= access.count;
}

// Whether who waits for the later access may not wait for the earlier one. The instructions of a pipe complete in their order;
// stores that change each other are a race already, and those of the same values are as good as the later one.
static bool isBeside(bool write, const GmInterval& earlier, const GmInterval& later) {
  if (write && !commute(earlier.atomic, later.atomic)) return false;
  if (earlier.core == later.core) return earlier.pipe != later.pipe;
  return !GlobalShadow::isOrdered(earlier, *later.core);
}

void GlobalShadow::add(bool write, const uint8_t* begin, const GmInterval& interval) {
  last_[write].add(begin, interval, &replaced_);
  for (const auto& [from, old] : replaced_)
    if (isBeside(write, old, interval)) keep(write, from, old);
  replaced_.clear();
}

void GlobalShadow::keep(bool write, const uint8_t* begin, const GmInterval& access) {
  std::vector<Concurrent>& all = concurrent_[write];
  auto own = std::find_if(all.begin(), all.end(),
                          [&](const Concurrent& each) { return each.core == access.core && each.pipe == access.pipe; });
  if (own == all.end()) own = all.insert(all.end(), {access.core, access.pipe, 0, {}});
  own->barrier = std::max(own->barrier, access.barrier);
  own->intervals.add(begin, access);
}

bool GlobalShadow::isStoredByAnother(const uint8_t* begin, const uint8_t* end, const Core& self, Order order) {
  flushRows(begin, end);
  bool found = false;
  forEach(true, begin, end, nullptr, [&](const uint8_t*, const GmInterval& store) {
    found |= store.core != &self && (order == Order::Any || isOrdered(store, self));
  });
  return found;
}

bool GlobalShadow::areOrdered(const GmAccess& first, const GmRows& rows, const Core& self, bool& own) {
  const bool oneRun = rows.distance == rows.bytes;
  auto isOrderedAfter = [&](const GmInterval& other, bool otherWrites) {
    if (!first.write && !otherWrites) return true;
    own = true;  // if not this one, then one that came before it
    return other.core == &self || isOrdered(other, self) || commute(first.atomic, other.atomic);
  };
  for (const NotedRows& other : rows_) {
    if (!other.rows.touches(rows)) continue;
    if (other.write == first.write && !(other.rows == rows)) return false;
    for (const GmInterval& interval : other.intervals)
      if (!isOrderedAfter(interval, other.write)) return false;
  }
  auto areOrderedAfter = [&](IntervalMap& others, bool otherWrites, bool mayTouch) {
    uint64_t steps = 0;
    for (auto other = others.lastFrom(rows.begin); other != others.end() && other->first < rows.end(); ++other) {
      if (++steps > rows.rows + 1) return false;
      if (rows.touches(other->first, other->second.end) && !(mayTouch && isOrderedAfter(other->second, otherWrites)))
        return false;
    }
    return true;
  };
  for (const bool otherWrites : {true, false}) {
    if (!areOrderedAfter(last_[otherWrites], otherWrites, oneRun || otherWrites != first.write)) return false;
    if (!first.write && !otherWrites) continue;
    for (Concurrent& each : concurrent_[otherWrites])
      if (!knowsBarrier(self, *each.core, each.barrier) && !areOrderedAfter(each.intervals, otherWrites, true))
        return false;
  }
  return true;
}

void GlobalShadow::addRows(bool write, const GmRows& rows, const GmInterval& interval) {
  constexpr size_t limit = 32;
  if (rows.distance == rows.bytes) {
    GmInterval whole = interval;
    whole.end = rows.end();
    return add(write, rows.begin, whole);
  }
  auto same = std::find_if(rows_.begin(), rows_.end(),
                           [&](const NotedRows& other) { return other.write == write && other.rows == rows; });
  if (same != rows_.end()) {
    std::vector<GmInterval>& all = same->intervals;
    auto isOver = [&](const GmInterval& old) { return !isBeside(write, old, interval); };
    all.erase(std::remove_if(all.begin(), all.end(), isOver), all.end());
    all.push_back(interval);
    return;
  }
  if (rows_.size() == limit) {
    const auto older = rows_.begin() + limit / 2;
    std::for_each(rows_.begin(), older, [&](const NotedRows& each) { flush(each); });
    rows_.erase(rows_.begin(), older);
  }
  rows_.push_back({write, rows, {interval}});
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
  for (GmInterval interval : noted.intervals) {
    for (uint64_t row = 0; row < noted.rows.rows; ++row) {
      interval.end = noted.rows.at(row) + noted.rows.bytes;
      add(noted.write, noted.rows.at(row), interval);
    }
  }
}

void GlobalShadow::forget(const uint8_t* begin, const uint8_t* end) {
  flushRows(begin, end);
  invalid.cut(begin, end);
  for (const bool write : {false, true}) {
    last_[write].cut(begin, end);
    for (Concurrent& each : concurrent_[write]) each.intervals.cut(begin, end);
  }
}

}  // namespace npu_emu
