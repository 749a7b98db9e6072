// Global memory: what orders cores against each other, and the pipes of one core.
#include <algorithm>

#include "device.h"
#include "issue.h"
#include "race_detector.h"

namespace npu_emu {

namespace {

// Whether the order of the access and another one to these bytes can be seen: writing what is there already cannot.
bool matters(const GmAccess& access, const uint8_t* begin, const uint8_t* end) {
  return !access.write || (access.changedBegin < end && begin < access.changedEnd);
}

// "bytes 0..31 of x"
std::string placeOf(const uint8_t* begin, const uint8_t* end) {
  const GmRegion* region = regionAt(begin);
  return region == nullptr
             ? std::string("global memory")
             : text("bytes %td..%td of %s", begin - region->base, end - region->base - 1, region->name.c_str());
}

// The last of the rows that has bytes with the access whose order matters.
bool lastOverlap(const GmRows& rows, const GmAccess& access, const uint8_t*& begin, const uint8_t*& end) {
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

}  // namespace

// Rows of one copy are one access where they are alike and at one distance.
void RaceDetector::checkGlobal(Pipe pipe) {
  constexpr uint64_t fewestRows = 8;  // a copy of fewer is noted row by row
  const std::vector<GmAccess>& all = state_.global;
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
    if (rows.rows >= fewestRows && noteOrderedRows(pipe, access, rows)) continue;
    for (; first < next; ++first) checkGlobal(pipe, all[first]);
  }
}

// Notes rows that are ordered after all that they touch. False where some may not be.
bool RaceDetector::noteOrderedRows(Pipe pipe, const GmAccess& first, const GmRows& rows) {
  bool own = false;
  if (!device.gm.areOrdered(first, rows, *core, own) || (own && mayRaceWithOwn(pipe, first, rows))) return false;
  device.gm.addRows(first.write, rows, intervalOf(pipe, first));
  noteRecent(pipe, {rows, shadow_->issued[static_cast<size_t>(pipe)], first.write, first.atomic});
  return true;
}

// Whether another access of the core that touches the rows may not have completed, see checkAgainstOwn.
bool RaceDetector::mayRaceWithOwn(Pipe pipe, const GmAccess& first, const GmRows& rows) const {
  const size_t p = static_cast<size_t>(pipe);
  for (size_t q = 0; q < pipeCount; ++q) {
    if (q == p && (pipe == Pipe::S || !first.write)) continue;
    const auto& recent = state_.recent[q];
    for (size_t i = recent.size(); i-- > 0 && recent[i].count > known_[p][q];) {
      const DetectorState::RecentAccess& other = recent[i];
      if ((!first.write && !other.write) || (q == p && (!other.write || other.count == shadow_->issued[p]))) continue;
      if (other.rows.touches(rows)) return true;
    }
  }
  return false;
}

GmInterval RaceDetector::intervalOf(Pipe pipe, const GmAccess& access) {
  const uint32_t count = shadow_->issued[static_cast<size_t>(pipe)];
  return {access.end,
          core,
          pipe,
          count,
          core->otherCores.barriers[core->isCube ? 1 : 0],
          core->releases,
          access.atomic,
          instruction_,
          shadow_->siteOf(static_cast<size_t>(pipe), count).path};
}

void RaceDetector::noteRecent(Pipe pipe, const DetectorState::RecentAccess& access) {
  constexpr size_t limit = 8192;
  auto& recent = state_.recent[static_cast<size_t>(pipe)];
  if (recent.size() == limit) recent.erase(recent.begin(), recent.begin() + limit / 2);
  recent.push_back(access);
}

namespace {

bool isKeptBack(const GmInterval& store, const uint8_t* begin, const uint8_t* end) {
  return store.core->lateStores != nullptr && store.core->lateStores->holds(begin, end);
}

bool isFlag(AtomicKind kind) { return kind == flagKind || kind == lookKind; }

// A look at a word that others store by the scalar unit. What SetValue stores is there once its line is cleaned: a look that comes
// before finds what was there.
bool isLookAtWord(Pipe pipe, const GmAccess& access, const GmInterval& other, bool otherWrites, const uint8_t* begin,
                  const uint8_t* end) {
  if (pipe != Pipe::S || other.pipe != Pipe::S) return false;
  if (access.write) return !otherWrites && isFlag(other.atomic);
  return isFlag(access.atomic) && (other.atomic == flagKind || isKeptBack(other, begin, end));
}

}  // namespace

void RaceDetector::checkGlobal(Pipe pipe, const GmAccess& access) {
  device.gm.flushRows(access.begin, access.end);
  // what another core has come to last may have been the core's own before
  bool mayBeOwn = false;
  auto checkAgainstAll = [&](bool otherWrites) {
    device.gm.forEach(otherWrites, access.begin, access.end, core, [&](const uint8_t* first, const GmInterval& other) {
      mayBeOwn = true;
      if (other.core == core || GlobalShadow::isOrdered(other, *core) || commute(access.atomic, other.atomic)) return;
      const uint8_t *begin = std::max(access.begin, first), *end = std::min(access.end, other.end);
      if (isLookAtWord(pipe, access, other, otherWrites, begin, end)) return;
      if (matters(access, begin, end)) return reportCoreRace(access, other, otherWrites, begin, end);
      // whether what is stored is there already depends on who comes first
      if (access.write && otherWrites) device.polls = true;
    });
  };
  checkAgainstAll(true);
  if (access.write) checkAgainstAll(false);
  if (mayBeOwn) checkAgainstOwn(pipe, access);
  const auto bytes = static_cast<uint64_t>(access.end - access.begin);
  const uint32_t count = shadow_->issued[static_cast<size_t>(pipe)];
  noteRecent(pipe, {{access.begin, bytes, bytes, 1}, count, access.write, access.atomic});
  device.gm.add(access.write, access.begin, intervalOf(pipe, access));
}

void RaceDetector::checkRestOfLine(const uint8_t* begin, const uint8_t* end) {
  if (off_) return;
  const uint8_t* line = lineOf(begin);
  const uint8_t* lineEnd = line + cacheLineBytes;
  device.gm.flushRows(line, lineEnd);
  bool isReported = false;
  device.gm.forEach(true, line, lineEnd, core, [&](const uint8_t* first, const GmInterval& store) {
    const uint8_t *from = std::max(line, first), *to = std::min(lineEnd, store.end);
    const bool isInRest = from < to && (from < begin || to > end);
    if (isReported || !isInRest || store.core == core || GlobalShadow::isOrdered(store, *core)) return;
    isReported = true;
    reportSharedLine(store, from, to);
  });
}

void RaceDetector::reportSharedLine(const GmInterval& other, const uint8_t* begin, const uint8_t* end) {
  report({Check::GmRace, instruction_,
          text("stores to a cache line in which %s writes %s: the scalar unit writes whole lines of 64 bytes back, and "
               "nothing "
               "orders the two cores",
               other.core->label().c_str(), placeOf(begin, end).c_str()),
          "keep what different cores store by SetValue at least 64 bytes apart, or copy it from local memory", nullptr,
          &other.where, other.instruction});
}

void RaceDetector::reportCoreRace(const GmAccess& access, const GmInterval& other, bool otherWrites,
                                  const uint8_t* begin, const uint8_t* end) {
  const char* hint =
      access.atomic != 0 && other.atomic != 0
          ? "call SyncAll between atomic operations of different kinds: a sum and a maximum do not commute"
      : core->isCube == other.core->isCube
          ? "give every core its own range, add with SetAtomicAdd, or call SyncAll between the two"
          : "set a flag with CrossCoreSetFlag on the pipe of the first access, and wait for it before the second";
  report({Check::GmRace, instruction_,
          text("%s %s, which %s %s: nothing orders the two cores", access.write ? "writes" : "reads",
               placeOf(begin, end).c_str(), other.core->label().c_str(),
               otherWrites == access.write ? "writes too"
               : otherWrites               ? "writes"
                                           : "reads"),
          hint, nullptr, &other.where, other.instruction});
}

// The pipes of one core against each other. Intervals only say that bytes overlap; single accesses say whether in
// order.
void RaceDetector::checkAgainstOwn(Pipe pipe, const GmAccess& access) {
  const size_t p = static_cast<size_t>(pipe);
  for (size_t q = 0; q < pipeCount; ++q) {
    const bool own = q == p;
    if (own && (pipe == Pipe::S || !access.write)) continue;
    const auto& recent = state_.recent[q];
    for (size_t i = recent.size(); i-- > 0 && recent[i].count > known_[p][q];) {
      const DetectorState::RecentAccess& other = recent[i];
      if ((!access.write && !other.write) || (own && (!other.write || other.count == shadow_->issued[p]))) continue;
      if (commute(access.atomic, other.atomic)) continue;
      const bool isScalar = pipe == Pipe::S || static_cast<Pipe>(q) == Pipe::S;
      const bool isPastCache = access.atomic == flagKind || other.atomic == flagKind;
      const uint8_t *begin = nullptr, *end = nullptr;
      if (!lastOverlap(other.rows, access, begin, end)) continue;
      if (!(isScalar && automaticOrder_ && !isPastCache))
        record(raceOf(pipe, static_cast<Pipe>(q), other.count, access.write, other.write,
                      text("%s (%s) %s %s", instruction_, nameOf(pipe), access.write ? "writes" : "reads",
                           placeOf(begin, end).c_str())));
      // the scalar unit waits there
      else if (pipe == Pipe::S) orderAutomatically(static_cast<Pipe>(q), pipe);
      known_[p][q] = std::max(known_[p][q], other.count);
      break;
    }
  }
}

}  // namespace npu_emu
