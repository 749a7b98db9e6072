#include "core_player.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "timing.h"

namespace npu_emu {

using namespace timing;

namespace {

constexpr double notYet = std::numeric_limits<double>::quiet_NaN();
constexpr auto scalarPipe = static_cast<size_t>(Pipe::S);

}  // namespace

TransferStart TransferStarts::take() {
  const TransferStart first = all_.back();
  all_.pop_back();
  return first;
}

void TransferStarts::add(const TransferStart& start) {
  auto place = all_.end();
  while (place != all_.begin() && start > *(place - 1)) --place;
  all_.insert(place, start);
}

CorePlayer::CorePlayer(const Trace& trace, uint32_t number, double nsPerCycle, Meetings& meetings, double now)
    : reader_(trace),
      number_(number),
      nsPerCycle_(nsPerCycle),
      flagNs_(flagCycles * nsPerCycle),
      meetings_(meetings),
      begun_(now),
      scalar_(now),
      sets_{{0, 0, 1, Pipe::S}} {
  for (Lane& lane : lanes_) lane.free = lane.done = lane.begun = now;
  step();
}

// ---- what is told of them ------------------------------------------------------------------------------------------

inline void CorePlayer::note(size_t pipe, double from, double to, double busy, uint32_t origin) {
  if (__builtin_expect(recorder_ != nullptr, 0)) recorder_->add(pipe, {from, to, busy, 0, 1, nullptr, nullptr}, origin);
}

inline void CorePlayer::noteWait(size_t pipe, double from, double to, const char* what) {
  if (__builtin_expect(recorder_ != nullptr, 0)) recorder_->addWait(pipe, {from, to, 0, to - from, 1, nullptr, what});
}

// What is free before waits for the rest of the core.
void CorePlayer::noteWaits(double time, const char* what) {
  if (recorder_ == nullptr) return;
  noteWait(scalarPipe, scalar_, time, what);
  for (size_t pipe = 1; pipe < pipeCount; ++pipe)
    if (lanes_[pipe].busy > 0) noteWait(pipe, std::max(lanes_[pipe].free, scalar_), time, what);
}

void CorePlayer::play() {
  do {
    while (hasNext_ && issueNext()) {}
  } while (drain());
}

void CorePlayer::endTransfer(Pipe pipe, double end, double visible) {
  Lane& lane = lanes_[static_cast<size_t>(pipe)];
  const TraceEntry& entry = lane.request.entry;
  lane.free = std::max({end, lane.transferFrom + static_cast<double>(entry.occupancy) * nsPerCycle_, lane.endsAfter});
  // what comes last of what it follows has its way to memory before it
  if (lane.endsAfter > 0) visible = std::max(visible, std::exchange(lane.endsAfter, 0) + writeLatencyNs);
  lane.done = std::max({lane.done, lane.free, visible}) + entry.tail * nsPerCycle_;
  lane.busy += lane.free - lane.transferFrom;
  lane.isTransferring = false;
  note(static_cast<size_t>(pipe), lane.transferFrom, lane.free, lane.free - lane.transferFrom, entry.origin);
}

void CorePlayer::giveUp() {
  if (!hasNext_) return;
  meet(next_, true);
  step();
}

bool CorePlayer::areIdle() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const Lane& lane) { return lane.isIdle(); });
}

bool CorePlayer::hasEnded() const { return !hasNext_ && areIdle(); }

double CorePlayer::reached() const {
  double time = scalar_;
  for (const Lane& lane : lanes_) time = std::max(time, lane.done);
  return time;
}

std::array<double, pipeCount> CorePlayer::busy() const {
  std::array<double, pipeCount> busy;
  for (size_t pipe = 0; pipe < pipeCount; ++pipe) busy[pipe] = lanes_[pipe].busy;
  return busy;
}

void CorePlayer::releaseAt(double time) {
  scalar_ = std::max(scalar_, time);
  for (Lane& lane : lanes_) lane.free = std::max(lane.free, time);
}

// ---- flags ---------------------------------------------------------------------------------------------------------

uint32_t& CorePlayer::setOf(uint32_t token) {
  if (token >= lastSets_.size()) lastSets_.resize(token + 1);
  return lastSets_[token];
}

uint32_t CorePlayer::addSet(Pipe setter, uint32_t token, double time) {
  uint32_t& last = setOf(token);
  leaveSet(last);
  if (freeSets_.empty()) {
    freeSets_.push_back(static_cast<uint32_t>(sets_.size()));
    sets_.emplace_back();
  }
  last = freeSets_.back();
  freeSets_.pop_back();
  sets_[last] = {time, time, 1, setter};
  return last;
}

uint32_t CorePlayer::useSet(uint32_t set) {
  if (set != noSet) ++sets_[set].users;
  return set;
}

void CorePlayer::leaveSet(uint32_t set) {
  if (set != noSet && --sets_[set].users == 0) freeSets_.push_back(set);
}

// ---- the scalar stream ---------------------------------------------------------------------------------------------

void CorePlayer::step() {
  for (uint32_t i = 0; i < next_.transfers; ++i) reader_.transfer();
  hasNext_ = reader_.hasNext();
  if (hasNext_) next_ = reader_.next();
}

inline void CorePlayer::spend(uint64_t cycles) {
  const double occupied = static_cast<double>(cycles) * nsPerCycle_;
  note(scalarPipe, scalar_, scalar_ + occupied, occupied, next_.origin);
  scalar_ += occupied;
  lanes_[scalarPipe].busy += occupied;
}

// False where the stream has to wait.
bool CorePlayer::issueNext() {
  const TraceEntry& entry = next_;
  switch (entry.kind) {
    case TraceEntry::BarrierAll: {
      if (!areIdle()) return false;
      spend(entry.scalarCycles);
      const double time = reached();
      noteWaits(time, "all pipes");
      releaseAt(time);
      break;
    }
    case TraceEntry::SyncAll:
    case TraceEntry::CrossWait:
    case TraceEntry::CrossWaitAll:
      if (!meet(entry, false)) return false;
      break;
    default:
      if (!(entry.pipe == Pipe::S ? issueScalar(entry) : issueTo(entry))) return false;
  }
  step();
  return true;
}

bool CorePlayer::issueScalar(const TraceEntry& entry) {
  if (entry.kind == TraceEntry::Wait) {
    const Set& set = sets_[setOf(entry.token)];
    if (std::isnan(set.time)) return false;
    spend(entry.scalarCycles);
    if (&set != sets_.data()) noteWait(scalarPipe, scalar_, set.time, nameOf(set.setter));
    scalar_ = std::max(scalar_, set.time);
    return true;
  }
  spend(entry.scalarCycles);
  if (entry.kind == TraceEntry::Set) addSet(Pipe::S, entry.token, scalar_ + flagNs_);
  else if (entry.kind == TraceEntry::CrossSet) arrive(meetings_.rounds[entry.token], scalar_);
  else if (entry.kind == TraceEntry::Work) spend(entry.occupancy);
  return true;
}

bool CorePlayer::issueTo(const TraceEntry& entry) {
  const auto pipe = static_cast<size_t>(entry.pipe);
  Lane& lane = lanes_[pipe];
  if (lane.issued - lane.started == depth) return false;
  spend(entry.scalarCycles);
  const size_t slot = lane.issued % depth;
  if (lane.issued >= depth) scalar_ = std::max(scalar_, lane.starts[slot]);
  uint32_t set = noSet;
  if (entry.kind == TraceEntry::Set) set = useSet(addSet(entry.pipe, entry.token, notYet));
  else if (entry.kind == TraceEntry::Wait || entry.kind == TraceEntry::Follow) set = useSet(setOf(entry.token));
  const bool isFirst = lane.isIdle();
  ++lane.issued;
  if (isFirst && begin(pipe, lane, entry, reader_, scalar_, set)) return true;
  queued_ |= 1u << pipe;
  if (lane.items.empty()) lane.items.resize(depth);
  Item& item = lane.items[slot];
  item.entry = entry;
  item.set = set;
  item.issued = scalar_;
  if (entry.moves()) item.transfers = reader_;
  return true;
}

// True when the core may go on.
bool CorePlayer::meet(const TraceEntry& entry, bool withoutOthers) {
  Round& round = meetings_.rounds[entry.token];
  const bool isBarrier = entry.kind == TraceEntry::SyncAll;
  if (isBarrier && !hasArrived_) {
    if (!areIdle() && !withoutOthers) return false;
    spend(entry.scalarCycles);
    hasArrived_ = true;
    arrive(round, reached());
  }
  if (round.missing != 0 && !withoutOthers) {
    if (!isWaiting_) round.waiting.push_back(number_);
    isWaiting_ = true;
    return false;
  }
  hasArrived_ = isWaiting_ = false;
  // What was issued before a flag is waited for goes on; a barrier has let it end.
  const double seen = round.last + (entry.kind == TraceEntry::CrossWait ? crossFlagNs : syncAllNs);
  if (!isBarrier) spend(entry.scalarCycles);
  const double from = isBarrier ? reached() : scalar_;
  noteWait(scalarPipe, scalar_, seen, "cores");
  waitedForCores_ += std::max(0.0, seen - from);
  if (isBarrier) releaseAt(seen);
  else scalar_ = std::max(scalar_, seen);
  return true;
}

void CorePlayer::arrive(Round& round, double time) {
  round.last = std::max(round.last, time);
  if (round.missing == 0 || --round.missing != 0) return;
  meetings_.released.insert(meetings_.released.end(), round.waiting.begin(), round.waiting.end());
  round.waiting.clear();
}

// ---- the pipes -----------------------------------------------------------------------------------------------------

// Whether some pipe has gone on.
bool CorePlayer::drain() {
  bool hasMoved = false;
  for (uint32_t left = queued_; left != 0; left &= left - 1)
    hasMoved |= drain(static_cast<size_t>(__builtin_ctz(left)));
  return hasMoved;
}

bool CorePlayer::drain(size_t pipe) {
  Lane& lane = lanes_[pipe];
  bool hasMoved = false;
  for (; !lane.isTransferring; hasMoved = true) {
    if (lane.started == lane.issued) {
      queued_ &= ~(1u << pipe);
      break;
    }
    const Item& item = lane.items[lane.started % depth];
    if (!begin(pipe, lane, item.entry, item.transfers, item.issued, item.set)) break;
  }
  return hasMoved;
}

// False where the pipe has to wait for a flag that nothing has set so far.
bool CorePlayer::begin(size_t pipe, Lane& lane, const TraceEntry& entry, const TraceReader& transfers, double issued,
                       uint32_t set) {
  double start = std::max(lane.free, issued);
  switch (entry.kind) {
    case TraceEntry::Set:
      sets_[set].time = std::max(lane.done, start) + flagNs_;
      sets_[set].from = lane.begun;
      leaveSet(set);
      break;
    case TraceEntry::CrossSet: arrive(meetings_.rounds[entry.token], std::max(lane.done, start)); break;
    case TraceEntry::Wait: {
      const double ready = sets_[set].time;
      if (std::isnan(ready)) return false;
      if (set != noSet) noteWait(pipe, start, ready, nameOf(sets_[set].setter));
      leaveSet(set);
      lane.free = start = std::max(start, ready);
      break;
    }
    case TraceEntry::Follow: {
      const auto [ready, from, users, setter] = sets_[set];
      if (std::isnan(ready)) return false;
      if (set != noSet) noteWait(pipe, start, from, nameOf(setter));
      leaveSet(set);
      lane.beginsAfter = from;
      lane.endsAfter = ready;
      // it makes room in the queue only then: the scalar unit does nothing in the past
      start = std::max(start, ready);
      break;
    }
    case TraceEntry::Barrier:
      noteWait(pipe, start, lane.done, nameOf(entry.pipe));
      lane.free = start = std::max(start, lane.done);
      break;
    default:
      if (entry.afterOwnPipe) start = std::max(start, lane.done);
      start = std::max(start, std::exchange(lane.beginsAfter, 0));
      work(pipe, lane, entry, transfers, start);
  }
  lane.starts[lane.started++ % depth] = start;
  return true;
}

void CorePlayer::work(size_t pipe, Lane& lane, const TraceEntry& entry, const TraceReader& transfers, double start) {
  lane.begun = start;
  if (entry.kind != TraceEntry::Work) {
    lane.transferFrom = start;
    lane.request = {entry, transfers};
    lane.isTransferring = true;
    meetings_.starts.add({start, number_, entry.pipe});
    return;
  }
  const double occupied = static_cast<double>(entry.occupancy) * nsPerCycle_;
  lane.free = std::max(start + occupied, std::exchange(lane.endsAfter, 0));
  lane.done = std::max(lane.done, lane.free + entry.tail * nsPerCycle_);
  lane.busy += occupied;
  note(pipe, start, lane.free, occupied, entry.origin);
}

}  // namespace npu_emu
