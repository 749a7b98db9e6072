// The order of accesses to global memory: of cores against each other, and of the pipes of one core.
#include <algorithm>

#include "device.h"
#include "hazard.h"

namespace npu_emu {

namespace {

constexpr size_t recentLimit = 8192;

// A copy of fewer rows is noted row by row.
constexpr uint64_t fewestRows = 8;
constexpr size_t stridedLimit = 32;

// Whether the order of the access and another one to these bytes can be seen: writing what is there already cannot.
bool matters(const GmAccess& access, const uint8_t* begin, const uint8_t* end) {
  return !access.write || (access.changedBegin < end && begin < access.changedEnd);
}

// Sums of sums, or maxima of maxima; a sum and a maximum do not.
bool commute(AtomicKind one, AtomicKind other) { return one != 0 && one == other; }

}  // namespace

GmShadow::Spans::iterator GmShadow::Spans::firstBehind(const uint8_t* address) {
  if (empty() || rbegin()->first <= address) return end();  // a core goes on where no other has been
  constexpr size_t nearBytes = 4096;
  const size_t place = reinterpret_cast<uintptr_t>(address) / nearBytes % limit;
  if (known_[place] && near_[place]->first <= address) {
    for (int steps = 2; steps > 0; --steps) {  // what was found the last time, or what was added behind it
      auto span = std::next(near_[place]);
      if (span == end() || span->first > address) return span;
      near_[place] = span;
    }
  }
  auto span = upper_bound(address);
  if ((known_[place] = span != begin())) near_[place] = std::prev(span);
  return span;
}

GmShadow::Spans::iterator GmShadow::Spans::lastFrom(const uint8_t* address) {
  auto span = firstBehind(address);
  return span == begin() ? span : std::prev(span);
}

GmShadow::Spans::iterator GmShadow::Spans::remove(iterator span) {
  for (size_t i = 0; i < limit; ++i) known_[i] = known_[i] && near_[i] != span;
  return erase(span);
}

bool GmRows::touches(const uint8_t* from, const uint8_t* to) const {
  if (to <= begin || from >= end()) return false;
  const uint64_t last = std::min<uint64_t>(rows - 1, static_cast<uint64_t>(to - 1 - begin) / distance);
  return at(last) + bytes > from;
}

bool GmRows::touches(const GmRows& other) const {
  constexpr uint64_t many = 64;
  if (other.end() <= begin || other.begin >= end()) return false;
  if (distance == other.distance) {
    const bool isBehind = other.begin >= begin;
    const uint64_t between = static_cast<uint64_t>(isBehind ? other.begin - begin : begin - other.begin) % distance;
    const uint64_t after =
        isBehind || between == 0 ? between : distance - between;  // from a row of this one to the next of the other
    if (after >= bytes && after + other.bytes <= distance) return false;
  }
  const GmRows &fewer = rows < other.rows ? *this : other, &more = rows < other.rows ? other : *this;
  bool touches = fewer.rows > many;
  for (uint64_t row = 0; row < fewer.rows && !touches; ++row)
    touches = more.touches(fewer.at(row), fewer.at(row) + fewer.bytes);
  return touches;
}

// Rows of one copy are one access where they are alike and at one distance.
void Hazards::checkGlobal(Pipe pipe) {
  const std::vector<GmAccess>& all = notes_.global;
  for (size_t first = 0, next; first < all.size(); first = next) {
    next = first + 1;
    const GmAccess& access = all[first];
    GmRows rows{access.begin, static_cast<uint64_t>(access.end - access.begin), 1, 1};
    if (next < all.size() && all[next].begin >= access.end) {
      rows.distance = static_cast<uint64_t>(all[next].begin - access.begin);
      auto belongs = [&](const GmAccess& row) {
        return row.begin == rows.at(rows.rows) && row.end == row.begin + rows.bytes && row.write == access.write &&
               row.atomic == access.atomic;
      };
      for (; next < all.size() && belongs(all[next]); ++next) ++rows.rows;
    }
    if (rows.rows >= fewestRows && noteRows(pipe, access, rows)) continue;
    for (; first < next; ++first) checkGlobal(pipe, all[first]);
  }
}

// Notes rows that are in order with everything.
bool Hazards::noteRows(Pipe pipe, const GmAccess& first, const GmRows& rows) {
  bool own = false;
  if (!device.gm.isInOrder(first, rows, *core, own) || (own && mayRaceOwn(pipe, first, rows))) return false;
  device.gm.addRows(first.write, rows, spanOf(pipe, first));
  remember(pipe, {rows, shadow_->issued[static_cast<size_t>(pipe)], first.write, first.atomic});
  return true;
}

// Whether nothing orders an access that touches the rows, see ownConflicts.
bool Hazards::mayRaceOwn(Pipe pipe, const GmAccess& first, const GmRows& rows) const {
  const size_t p = static_cast<size_t>(pipe);
  for (size_t q = 0; q < pipeCount; ++q) {
    if (q == p && (pipe == Pipe::S || !first.write)) continue;
    const auto& recent = notes_.recent[q];
    for (size_t i = recent.size(); i-- > 0 && recent[i].count > known_[p][q];) {
      const HazardNotes::Recent& other = recent[i];
      if ((!first.write && !other.write) || (q == p && (!other.write || other.count == shadow_->issued[p]))) continue;
      if (other.rows.touches(rows)) return true;
    }
  }
  return false;
}

GmShadow::Span Hazards::spanOf(Pipe pipe, const GmAccess& access) {
  const uint32_t count = shadow_->issued[static_cast<size_t>(pipe)];
  return {access.end,
          core,
          pipe,
          count,
          core->progress.barriers[core->isCube ? 1 : 0],
          core->phase,
          access.atomic,
          instruction_,
          siteOf(static_cast<size_t>(pipe), count).path};
}

void Hazards::remember(Pipe pipe, const HazardNotes::Recent& access) {
  auto& recent = notes_.recent[static_cast<size_t>(pipe)];
  if (recent.size() == recentLimit) recent.erase(recent.begin(), recent.begin() + recentLimit / 2);
  recent.push_back(access);
}

// Accesses of all cores to what kernels may write. Neighbouring accesses of one core become one span.
void Hazards::checkGlobal(Pipe pipe, const GmAccess& access) {
  device.gm.settle(access.begin, access.end);
  auto conflictsWith = [&](GmShadow::Spans& spans, bool otherWrites) {
    bool own = false;
    for (auto span = spans.lastFrom(access.begin); span != spans.end() && span->first < access.end; ++span) {
      if (span->second.end <= access.begin) continue;
      if (span->second.core == core) {
        own = true;
        continue;
      }
      if (device.gm.isOrdered(span->second, *core) || commute(access.atomic, span->second.atomic)) continue;
      const uint8_t *begin = std::max(access.begin, span->first), *end = std::min(access.end, span->second.end);
      if (matters(access, begin, end)) reportSharing(access, span->second, otherWrites, begin, end);
    }
    return own;
  };
  bool own = conflictsWith(device.gm.writes, true);
  if (access.write) own |= conflictsWith(device.gm.reads, false);
  if (own) ownConflicts(pipe, access);
  const auto bytes = static_cast<uint64_t>(access.end - access.begin);
  remember(pipe,
           {{access.begin, bytes, bytes, 1}, shadow_->issued[static_cast<size_t>(pipe)], access.write, access.atomic});
  device.gm.add(access.write ? device.gm.writes : device.gm.reads, access.begin, spanOf(pipe, access));
}

void Hazards::reportSharing(const GmAccess& access, const GmShadow::Span& span, bool otherWrites, const uint8_t* begin,
                            const uint8_t* end) {
  const GmRegion* region = regionAt(begin);
  std::string place = region == nullptr ? std::string("global memory")
                                        : text("bytes %td..%td of %s", begin - region->base, end - region->base - 1,
                                               region->name.c_str());
  const char* hint =
      access.atomic != 0 && span.atomic != 0
          ? "call SyncAll between atomic operations of different kinds: a sum and a maximum do not commute"
      : core->isCube == span.core->isCube
          ? "give every core its own range, add with SetAtomicAdd, or call SyncAll between the two"
          : "set a flag with CrossCoreSetFlag on the pipe of the first access, and wait for it before the second";
  report({Check::GmRace, instruction_,
          text("%s %s, which %s %s: nothing orders the two cores", access.write ? "writes" : "reads", place.c_str(),
               span.core->label().c_str(), otherWrites ? "writes" : "reads"),
          hint, nullptr, &span.where, span.instruction});
}

// The last of the rows that has bytes with the access whose order matters.
static bool lastOverlap(const GmRows& rows, const GmAccess& access, const uint8_t*& begin, const uint8_t*& end) {
  if (access.end <= rows.begin || rows.end() <= access.begin) return false;
  uint64_t row = std::min<uint64_t>(rows.rows - 1, static_cast<uint64_t>(access.end - 1 - rows.begin) / rows.distance);
  for (;; --row) {
    begin = std::max(access.begin, rows.at(row));
    end = std::min(access.end, rows.at(row) + rows.bytes);
    if (begin >= end) return false;
    if (matters(access, begin, end)) return true;
    if (row == 0) return false;
  }
}

// The pipes of one core against each other. Spans only say that there is an overlap; single accesses say whether in order.
void Hazards::ownConflicts(Pipe pipe, const GmAccess& access) {
  size_t p = static_cast<size_t>(pipe);
  for (size_t q = 0; q < pipeCount; ++q) {
    bool own = q == p;
    if (own && (pipe == Pipe::S || !access.write)) continue;
    const auto& recent = notes_.recent[q];
    for (size_t i = recent.size(); i-- > 0 && recent[i].count > known_[p][q];) {
      const HazardNotes::Recent& other = recent[i];
      if ((!access.write && !other.write) || (own && (!other.write || other.count == shadow_->issued[p]))) continue;
      if (commute(access.atomic, other.atomic)) continue;
      bool scalar = pipe == Pipe::S || static_cast<Pipe>(q) == Pipe::S;
      const uint8_t *begin = nullptr, *end = nullptr;
      if (!lastOverlap(other.rows, access, begin, end)) continue;
      if (!(scalar && automaticOrder_)) {
        const GmRegion* region = regionAt(begin);
        reportRace(
            pipe, static_cast<Pipe>(q), other.count, access.write, other.write,
            text("%s (%s) %s bytes %td..%td of %s", instruction_, nameOf(pipe), access.write ? "writes" : "reads",
                 region == nullptr ? 0 : begin - region->base, region == nullptr ? 0 : end - region->base - 1,
                 region == nullptr ? "global memory" : region->name.c_str()));
      }
      known_[p][q] = std::max(known_[p][q], other.count);
      break;
    }
  }
}

bool GmShadow::isOrdered(const Span& span, const Core& self) const {
  if (self.progress.barriers[span.core->isCube ? 1 : 0] > span.barrier) return true;
  const PipeCounts* known = self.progress.of(span.core->number);
  return known != nullptr && (*known)[static_cast<size_t>(span.pipe)] >= span.count;
}

void GmShadow::writeDown(const Strided& strided) {
  for (uint64_t row = 0; row < strided.rows.rows; ++row) {
    Span span = strided.span;
    span.end = strided.rows.at(row) + strided.rows.bytes;
    add(strided.write ? writes : reads, strided.rows.at(row), span);
  }
}

// They have no bytes with other spans of their kind, so that it does not matter when they become some.
void GmShadow::settle(const uint8_t* begin, const uint8_t* end) {
  for (size_t i = strided_.size(); i-- > 0;) {
    if (!strided_[i].rows.touches(begin, end)) continue;
    writeDown(strided_[i]);
    strided_.erase(strided_.begin() + static_cast<ptrdiff_t>(i));
  }
}

bool GmShadow::isInOrder(const GmAccess& first, const GmRows& rows, const Core& self, bool& own) {
  const bool oneRun = rows.distance == rows.bytes;
  auto inOrder = [&](const Span& other, bool otherWrites) {
    if (!first.write && !otherWrites) return true;
    if (other.core == &self) return own = true;
    return isOrdered(other, self) || commute(first.atomic, other.atomic);
  };
  for (const Strided& other : strided_) {
    if (!other.rows.touches(rows)) continue;
    if (other.write == first.write && !(other.rows == rows)) return false;
    if (!inOrder(other.span, other.write)) return false;
  }
  const uint8_t* end = rows.end();
  for (Spans* spans : {&writes, &reads}) {
    const bool otherWrites = spans == &writes, mayTouch = oneRun || otherWrites != first.write;
    uint64_t steps = 0;
    for (auto span = spans->lastFrom(rows.begin); span != spans->end() && span->first < end; ++span) {
      if (++steps > rows.rows + 1) return false;
      if (rows.touches(span->first, span->second.end) && !(mayTouch && inOrder(span->second, otherWrites)))
        return false;
    }
  }
  return true;
}

void GmShadow::addRows(bool write, const GmRows& rows, const Span& span) {
  if (rows.distance == rows.bytes) {
    Span whole = span;
    whole.end = rows.end();
    return add(write ? writes : reads, rows.begin, whole);
  }
  auto same = std::find_if(strided_.begin(), strided_.end(),
                           [&](const Strided& other) { return other.write == write && other.rows == rows; });
  if (same != strided_.end()) {
    same->span = span;
    return;
  }
  if (strided_.size() == stridedLimit) {
    const auto older = strided_.begin() + stridedLimit / 2;
    std::for_each(strided_.begin(), older, [&](const Strided& each) { writeDown(each); });
    strided_.erase(strided_.begin(), older);
  }
  strided_.push_back({write, rows, span});
}

void GmShadow::forget(const uint8_t* begin, const uint8_t* end) {
  settle(begin, end);
  for (Spans* spans : {&writes, &reads, &garbage}) cut(*spans, begin, end);
}

// Cuts out what was there and joins the span to the one before it.
void GmShadow::add(Spans& spans, const uint8_t* begin, const Span& span) {
  constexpr size_t limit = size_t(1) << 20;
  if (spans.size() > limit) return;
  auto next = spans.firstBehind(begin);
  const bool freeBehind = next == spans.end() || next->first >= span.end;
  bool freeBefore = true;
  if (next != spans.begin()) {
    auto before = std::prev(next);
    freeBefore = before->second.end <= begin;
    bool joins = before->second.end >= begin && before->second.core == span.core && before->second.pipe == span.pipe &&
                 before->second.barrier == span.barrier && before->second.phase == span.phase &&
                 before->second.atomic == span.atomic;
    if (joins)
      before->second.count = std::max(before->second.count, span.count);  // rows noted as one become spans late
    if (joins && before->second.end >= span.end) return;
    if (joins && freeBehind) {
      before->second.end = span.end;
      return;
    }
    if (joins) {
      const uint8_t* start = before->first;
      cut(spans, before->second.end, span.end);
      spans.find(start)->second.end = span.end;
      return;
    }
  }
  if (freeBefore && freeBehind) {
    spans.emplace_hint(next, begin, span);
    return;
  }
  cut(spans, begin, span.end);
  spans.emplace(begin, span);
}

void GmShadow::cut(Spans& spans, const uint8_t* begin, const uint8_t* end) {
  auto span = spans.lastFrom(begin);
  while (span != spans.end() && span->first < end) {
    Span old = span->second;
    const uint8_t* start = span->first;
    if (old.end <= begin) {
      ++span;
      continue;
    }
    if (start < begin) {
      span->second.end = begin;
      ++span;
    } else {
      span = spans.remove(span);
    }
    if (old.end > end) span = std::next(spans.emplace(end, old).first);
  }
}

}  // namespace npu_emu
