#include "core_player.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "timing.h"

namespace npu_emu {

using namespace timing;

namespace {

constexpr double notYet = std::numeric_limits<double>::quiet_NaN();
constexpr auto scalarPipe = static_cast<size_t>(Pipe::S);

}  // namespace

CorePlayer::CorePlayer(const Trace& trace, uint32_t number, double nsPerCycle, Meetings& meetings, double now)
    : trace_(trace),
      number_(number),
      nsPerCycle_(nsPerCycle),
      flagNs_(flagCycles * nsPerCycle),
      meetings_(meetings),
      begun_(now),
      scalar_(now) {
  for (Lane& lane : lanes_) lane.free = lane.done = now;
}

void CorePlayer::play() {
  for (;;) {
    bool hasMoved = false;
    while (next_ < trace_.entries.size() && issueNext()) hasMoved = true;
    for (size_t pipe = 1; pipe < pipeCount; ++pipe) hasMoved |= drain(pipe);
    if (!hasMoved) return;
  }
}

void CorePlayer::endTransfer(Pipe pipe, double end, double visible) {
  Lane& lane = lanes_[static_cast<size_t>(pipe)];
  const TraceEntry& entry = trace_.entries[lane.transferEntry];
  lane.free = std::max(end, lane.transferFrom + entry.occupancy * nsPerCycle_);
  lane.done = std::max({lane.done, lane.free, visible}) + entry.tail * nsPerCycle_;
  lane.busy += lane.free - lane.transferFrom;
  lane.isTransferring = false;
  note(static_cast<size_t>(pipe), {lane.transferFrom, lane.free, lane.free - lane.transferFrom, 0, 1, nullptr, nullptr},
       lane.transferEntry);
}

void CorePlayer::giveUp() {
  if (next_ == trace_.entries.size()) return;
  meet(trace_.entries[next_], true);
  ++next_;
}

bool CorePlayer::areIdle() const {
  return std::all_of(lanes_.begin(), lanes_.end(),
                     [](const Lane& lane) { return lane.issued == lane.started && !lane.isTransferring; });
}

bool CorePlayer::hasEnded() const { return next_ == trace_.entries.size() && areIdle(); }

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

uint32_t& CorePlayer::setOf(uint32_t token) {
  if (token >= lastSets_.size()) lastSets_.resize(token + 1);
  return lastSets_[token];
}

uint32_t CorePlayer::addSet(Pipe setter, uint32_t token, double time) {
  setTimes_.push_back(time);
  setters_.push_back(setter);
  return setOf(token) = static_cast<uint32_t>(setTimes_.size());
}

// ---- the scalar stream ---------------------------------------------------------------------------------------------

void CorePlayer::spend(uint32_t cycles, uint32_t entry) {
  const double occupied = cycles * nsPerCycle_;
  note(scalarPipe, {scalar_, scalar_ + occupied, occupied, 0, 1, nullptr, nullptr}, entry);
  scalar_ += occupied;
  lanes_[scalarPipe].busy += occupied;
}

// False where the stream has to wait.
bool CorePlayer::issueNext() {
  const TraceEntry& entry = trace_.entries[next_];
  switch (entry.kind) {
    case TraceEntry::BarrierAll: {
      if (!areIdle()) return false;
      spend(entry.scalarCycles, next_);
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
      if (entry.pipe != Pipe::S) {
        if (!issueTo(entry)) return false;
        break;
      }
      if (entry.kind == TraceEntry::Wait) {
        const uint32_t set = setOf(entry.token);
        const double ready = timeOf(set);
        if (std::isnan(ready)) return false;
        spend(entry.scalarCycles, next_);
        if (set != 0) noteWait(scalarPipe, scalar_, ready, nameOf(setters_[set - 1]));
        scalar_ = std::max(scalar_, ready);
        break;
      }
      spend(entry.scalarCycles, next_);
      if (entry.kind == TraceEntry::Set) {
        addSet(Pipe::S, entry.token, scalar_ + flagNs_);
      } else if (entry.kind == TraceEntry::CrossSet) {
        arrive(meetings_.rounds[entry.token], scalar_);
      } else if (entry.kind == TraceEntry::Work) {
        spend(entry.occupancy, next_);
      }
  }
  ++next_;
  return true;
}

bool CorePlayer::issueTo(const TraceEntry& entry) {
  const auto pipe = static_cast<size_t>(entry.pipe);
  Lane& lane = lanes_[pipe];
  if (lane.issued - lane.started == depth) return false;
  spend(entry.scalarCycles, next_);
  const size_t slot = lane.issued % depth;
  if (lane.issued >= depth) scalar_ = std::max(scalar_, lane.starts[slot]);
  Item& item = lane.items[slot];
  item = {next_, 0, scalar_};
  if (entry.kind == TraceEntry::Set) {
    item.set = addSet(entry.pipe, entry.token, notYet);
  } else if (entry.kind == TraceEntry::Wait) {
    item.set = setOf(entry.token);
  }
  ++lane.issued;
  drain(pipe);
  return true;
}

// True when the core may go on.
bool CorePlayer::meet(const TraceEntry& entry, bool withoutOthers) {
  Round& round = meetings_.rounds[entry.token];
  const bool isBarrier = entry.kind == TraceEntry::SyncAll;
  if (isBarrier && !hasArrived_) {
    if (!areIdle() && !withoutOthers) return false;
    spend(entry.scalarCycles, next_);
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
  if (!isBarrier) spend(entry.scalarCycles, next_);
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

bool CorePlayer::drain(size_t pipe) {
  Lane& lane = lanes_[pipe];
  bool hasMoved = false;
  while (lane.started != lane.issued && !lane.isTransferring && begin(pipe, lane, lane.items[lane.started % depth])) {
    ++lane.started;
    hasMoved = true;
  }
  return hasMoved;
}

// False where the pipe has to wait for a flag that nothing has set so far.
bool CorePlayer::begin(size_t pipe, Lane& lane, const Item& item) {
  const TraceEntry& entry = trace_.entries[item.entry];
  double start = std::max(lane.free, item.issued);
  switch (entry.kind) {
    case TraceEntry::Set: setTimes_[item.set - 1] = std::max(lane.done, start) + flagNs_; break;
    case TraceEntry::CrossSet: arrive(meetings_.rounds[entry.token], std::max(lane.done, start)); break;
    case TraceEntry::Wait: {
      const double ready = timeOf(item.set);
      if (std::isnan(ready)) return false;
      if (item.set != 0) noteWait(pipe, start, ready, nameOf(setters_[item.set - 1]));
      lane.free = start = std::max(start, ready);
      break;
    }
    case TraceEntry::Barrier:
      noteWait(pipe, start, lane.done, nameOf(entry.pipe));
      lane.free = start = std::max(start, lane.done);
      break;
    default:
      if (entry.afterOwnPipe) start = std::max(start, lane.done);
      work(pipe, lane, entry, start, item.entry);
  }
  lane.starts[lane.started % depth] = start;
  return true;
}

void CorePlayer::work(size_t pipe, Lane& lane, const TraceEntry& entry, double start, uint32_t index) {
  if (entry.kind != TraceEntry::Work) {
    lane.transferFrom = start;
    lane.transferEntry = index;
    lane.isTransferring = true;
    meetings_.starts.push_back({start, number_, index, entry.pipe});
    return;
  }
  const double occupied = entry.occupancy * nsPerCycle_;
  lane.free = start + occupied;
  lane.done = std::max(lane.done, lane.free + entry.tail * nsPerCycle_);
  lane.busy += occupied;
  note(pipe, {start, lane.free, occupied, 0, 1, nullptr, nullptr}, index);
}

// ---- what is told of them ------------------------------------------------------------------------------------------

void CorePlayer::note(size_t pipe, const PipeInterval& interval, uint32_t entry) {
  if (recorder_ != nullptr) recorder_->add(pipe, interval, entry);
}

void CorePlayer::noteWait(size_t pipe, double from, double to, const char* what) {
  if (recorder_ != nullptr) recorder_->addWait(pipe, {from, to, 0, to - from, 1, nullptr, what});
}

// What is free before waits for the rest of the core.
void CorePlayer::noteWaits(double time, const char* what) {
  if (recorder_ == nullptr) return;
  noteWait(scalarPipe, scalar_, time, what);
  for (size_t pipe = 1; pipe < pipeCount; ++pipe)
    if (lanes_[pipe].busy > 0) noteWait(pipe, std::max(lanes_[pipe].free, scalar_), time, what);
}

}  // namespace npu_emu
