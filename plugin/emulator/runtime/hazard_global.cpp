// The order of accesses to global memory: of cores against each other, and of the pipes of one core.
#include "device.h"
#include "hazard.h"

namespace npu_emu {

namespace {

constexpr size_t recentLimit = 8192;

// Whether the order of the access and another one to these bytes can be seen: writing what is there already cannot.
bool matters(const GmAccess& access, const uint8_t* begin, const uint8_t* end) {
  return !access.write || (access.changedBegin < end && begin < access.changedEnd);
}

// Sums of sums, or maxima of maxima; a sum and a maximum do not.
bool commute(AtomicKind one, AtomicKind other) { return one != 0 && one == other; }

}  // namespace

// Accesses of all cores to what kernels may write. Neighbouring accesses of one core become one span.
void Hazards::checkGlobal(Pipe pipe, const GmAccess& access) {
  auto conflictsWith = [&](const GmShadow::Spans& spans, bool otherWrites) {
    bool own = false;
    auto span = spans.upper_bound(access.begin);
    if (span != spans.begin()) --span;
    for (; span != spans.end() && span->first < access.end; ++span) {
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
  auto& recent = notes_.recent[static_cast<size_t>(pipe)];
  if (recent.size() == recentLimit) recent.erase(recent.begin(), recent.begin() + recentLimit / 2);
  recent.push_back({access.begin, access.end, shadow_->issued[static_cast<size_t>(pipe)], access.write, access.atomic});
  uint32_t count = shadow_->issued[static_cast<size_t>(pipe)];
  GmShadow::Span span{access.end,   core,          pipe,         count, core->progress.barriers[core->isCube ? 1 : 0], core->phase,
                      access.atomic, instruction_, siteOf(static_cast<size_t>(pipe), count).path};
  device.gm.add(access.write ? device.gm.writes : device.gm.reads, access.begin, span);
}

void Hazards::reportSharing(const GmAccess& access, const GmShadow::Span& span, bool otherWrites, const uint8_t* begin, const uint8_t* end) {
  const GmRegion* region = regionAt(begin);
  std::string place = region == nullptr ? std::string("global memory")
                                        : text("bytes %td..%td of %s", begin - region->base, end - region->base - 1, region->name.c_str());
  const char* hint = access.atomic != 0 && span.atomic != 0 ? "call SyncAll between atomic operations of different kinds: a sum and a maximum do not commute"
                     : core->isCube == span.core->isCube    ? "give every core its own range, add with SetAtomicAdd, or call SyncAll between the two"
                                                            : "set a flag with CrossCoreSetFlag on the pipe of the first access, and wait for it before the second";
  report({"GmRace", instruction_,
          text("%s %s, which %s %s: nothing orders the two cores", access.write ? "writes" : "reads", place.c_str(), span.core->label().c_str(), otherWrites ? "writes" : "reads"),
          hint, nullptr, &span.where, span.instruction});
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
      bool overlaps = other.begin < access.end && access.begin < other.end;
      if (!overlaps || (!access.write && !other.write) || (own && (!other.write || other.count == shadow_->issued[p]))) continue;
      if (commute(access.atomic, other.atomic)) continue;
      bool scalar = pipe == Pipe::S || static_cast<Pipe>(q) == Pipe::S;
      const uint8_t *begin = std::max(access.begin, other.begin), *end = std::min(access.end, other.end);
      if (!matters(access, begin, end)) continue;
      if (!(scalar && automaticOrder_)) {
        const GmRegion* region = regionAt(begin);
        reportRace(pipe, static_cast<Pipe>(q), other.count, access.write, other.write,
                   text("%s (%s) %s bytes %td..%td of %s", instruction_, nameOf(pipe), access.write ? "writes" : "reads", region == nullptr ? 0 : begin - region->base,
                        region == nullptr ? 0 : end - region->base - 1, region == nullptr ? "global memory" : region->name.c_str()));
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

// Cuts out what was there and joins the span to the one before it.
void GmShadow::add(Spans& spans, const uint8_t* begin, const Span& span) {
  constexpr size_t limit = size_t(1) << 20;
  if (spans.size() > limit) return;
  auto next = spans.upper_bound(begin);
  const bool freeBehind = next == spans.end() || next->first >= span.end;
  bool freeBefore = true;
  if (next != spans.begin()) {
    auto before = std::prev(next);
    freeBefore = before->second.end <= begin;
    bool joins = before->second.end >= begin && before->second.core == span.core && before->second.pipe == span.pipe &&
                 before->second.barrier == span.barrier && before->second.phase == span.phase && before->second.atomic == span.atomic;
    if (joins) before->second.count = span.count;
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
  auto span = spans.upper_bound(begin);
  if (span != spans.begin()) --span;
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
      span = spans.erase(span);
    }
    if (old.end > end) span = std::next(spans.emplace(end, old).first);
  }
}

}  // namespace npu_emu
