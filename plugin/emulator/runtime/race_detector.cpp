// Local memory and what orders the pipes of a core.
#include "race_detector.h"

#include <algorithm>
#include <new>

#include "device.h"
#include "issue.h"
#include "late_copies.h"
#include "valid_propagation.h"

namespace npu_emu {

namespace {

constexpr size_t scalarPipe = static_cast<size_t>(Pipe::S), vectorPipe = static_cast<size_t>(Pipe::V);

constexpr uint32_t bitOf(Pipe pipe) { return 1u << static_cast<size_t>(pipe); }

std::string eventName(Pipe from, Pipe to) { return std::string(nameOf(from)) + "_" + nameOf(to); }

}  // namespace

void RaceDetector::begin(LocalShadow* shadow, bool automaticOrder) {
  shadow_ = shadow;
  state_ = std::move(shadow->idleState);
  state_.clear();
  automaticOrder_ = automaticOrder;
  constexpr uint32_t limit = 1u << 29;
  if (*std::max_element(shadow->issued.begin(), shadow->issued.end()) > limit) shadow->restart();
  known_.fill(shadow->issued);
  shadow->valid.clear();
  shadow->unusedLoads.clear();
  shadow->leftovers.clear();
}

void RaceDetector::forget() {
  state_.local.clear();
  state_.global.clear();
  ordersItself_ = false;
  leftPadding_ = 0;
  lanes_ = nullptr;
  overruns_.clear();
}

inline RaceDetector::PendingPipes RaceDetector::pendingIn(uint8_t memory, Pipe pipe) const {
  const size_t p = static_cast<size_t>(pipe);
  uint32_t ordered = 0;
  if (automaticOrder_) ordered |= bitOf(Pipe::S);  // the compiler has every pipe wait for the scalar unit
  // The scalar unit is in order; the compiler orders vector instructions; a write after a read is ordered on every
  // pipe.
  const bool ownWrites = pipe == Pipe::S || ordersItself_ || (pipe == Pipe::V && automaticOrder_);
  return {pipesBeyond(shadow_->newestWrites[memory], known_[p]) & ~(ordered | (ownWrites ? bitOf(pipe) : 0)),
          pipesBeyond(shadow_->newestReads[memory], known_[p]) & ~(ordered | bitOf(pipe)), memory};
}

// `pending` is what was found for the access before: most instructions work in one memory.
inline void RaceDetector::check(Pipe pipe, const LocalAccess& access, PendingPipes& pending) {
  if (pending.memory != access.memory) pending = pendingIn(access.memory, pipe);
  const uint32_t writers = pending.writers, readers = access.write ? pending.readers : 0;
  for (uint32_t pipes = writers | readers; pipes != 0; pipes &= pipes - 1) {
    const auto q = static_cast<size_t>(__builtin_ctz(pipes));
    const uint32_t end = endOf(access), known = known_[static_cast<size_t>(pipe)][q];
    auto mayRace = [&](AccessHistory& history) { return history.mayHaveNewer(access.offset, end, known); };
    if ((writers >> q & 1) != 0 && mayRace(shadow_->writes[access.memory][q]))
      checkAgainst(pipe, static_cast<Pipe>(q), access, true);
    if ((readers >> q & 1) != 0 && mayRace(shadow_->reads[access.memory][q]))
      checkAgainst(pipe, static_cast<Pipe>(q), access, false);
  }
}

inline void RaceDetector::note(Pipe pipe, const LocalAccess& access) {
  const size_t p = static_cast<size_t>(pipe);
  const uint32_t count = shadow_->issued[p];
  (access.write ? shadow_->newestWrites : shadow_->newestReads)[access.memory][p] = count;
  const uint32_t partnerKnown = known_[p == vectorPipe ? scalarPipe : vectorPipe][p];
  AccessHistory& history = (access.write ? shadow_->writes : shadow_->reads)[access.memory][p];
  if (history.isFull()) history.makeRoom(completedForAllPipes(access, p));
  history.add(access, partnerKnown, count);
}

void RaceDetector::issue(Pipe pipe) {
  if (state_.local.empty() && state_.global.empty()) return;
  if (watches_) [[unlikely]] {
    settleRaces();
    settleOverruns();
  }
  const size_t p = static_cast<size_t>(pipe);
  // what the scalar unit waited for has completed for all it issues
  if (p != scalarPipe) join(known_[p], known_[scalarPipe]);
  const uint32_t count = ++shadow_->issued[p];
  if (late_ != nullptr) late_->note(pipe, instruction_, state_, shadow_->issued, automaticOrder_);
  // in place: a copy of what was just written waits for it
  new (&shadow_->siteOf(p, count)) Site{instruction_, placeOf(*core)};
  // a value read too early tells more than one overwritten
  PendingPipes pending;
  for (const LocalAccess& access : state_.local)
    if (!access.write) check(pipe, access, pending);
  for (const LocalAccess& access : state_.local)
    if (access.write) check(pipe, access, pending);
  const UnusedLoads& unused = shadow_->unusedLoads;
  if (pipe == Pipe::MTE2 || !unused.isEmpty())
    for (const LocalAccess& access : state_.local)
      if (access.memory == ubIndex && ((pipe == Pipe::MTE2 && access.write) || unused.touches(access)))
        noteLoad(pipe, access);
  // what the compiler has every pipe wait for is never asked for
  if (pipe != Pipe::S || !automaticOrder_)
    for (const LocalAccess& access : state_.local) note(pipe, access);
  if (!state_.global.empty()) checkGlobal(pipe);
  if (core->isCube || pipe != Pipe::MTE3) forgetOverwritten(state_);
  // products say themselves which of their sums follow from leftovers
  if (!shadow_->leftovers.isEmpty() && pipe != Pipe::M) [[unlikely]]
    shadow_->leftovers.forgetWritten(state_);
  if (!core->isCube) propagateValidity(pipe, {instruction_, leftPadding_, lanes_}, state_, shadow_->valid);
  forget();
}

// A copy from global memory, or the use of one.
void RaceDetector::noteLoad(Pipe pipe, const LocalAccess& access) {
  UnusedLoads& unused = shadow_->unusedLoads;
  if (pipe != Pipe::MTE2 || !access.write) return unused.use(access);
  if (!unused.load(access)) return;
  report({Check::ErrorWrite3, instruction_,
          text("copies over UB 0x%x before anything has used what was copied there last", access.offset),
          "leave out the earlier copy, or use its data first"});
}

void RaceDetector::checkAgainst(Pipe pipe, Pipe other, const LocalAccess& access, bool otherWrites) {
  const auto p = static_cast<size_t>(pipe), q = static_cast<size_t>(other);
  const LocalAccess theirs{access.memory, otherWrites, 0, {}, ""};
  AccessHistory& history = (otherWrites ? shadow_->writes : shadow_->reads)[access.memory][q];
  const AccessHistory::Newer found = history.findNewer(access, known_[p][q], completedForAllPipes(theirs, q));
  if (found.count == 0) return;
  const bool compilerOrders = pipe == Pipe::S && automaticOrder_;
  if (!compilerOrders) {
    const std::string what =
        text("%s (%s) %s %s from 0x%x on", access.role, nameOf(pipe), access.write ? "writes" : "reads",
             nameOf(static_cast<Memory>(access.memory)), found.offset);
    // cheaper than all frames, where what is no race happens again and again
    const CallPath path = placeOf(*core);
    const bool isJudgedLater = access.write && access.memory == ubIndex;
    Report race = raceOf(pipe, other, found.count, access.write, otherWrites, what, isJudgedLater ? &path : nullptr);
    race.otherWrites = otherWrites;
    if (isJudgedLater) keepUntilWritten(pipe, other, found.count, access, std::move(race));
    else record(std::move(race));
  } else if (other == Pipe::MTE3) {
    // it waits for what loads and computes in any case
    orderAutomatically(other, pipe);
  }
  // a race that is yet to be judged hides no other one
  if (writeRaces_.empty()) known_[p][q] = std::max(known_[p][q], found.count);
}

Report RaceDetector::raceOf(Pipe pipe, Pipe other, uint32_t count, bool write, bool otherWrites,
                            const std::string& what, const CallPath* where) const {
  const size_t q = static_cast<size_t>(other);
  static const Site unknown{"an earlier instruction", {}};
  const Site& site = shadow_->hasSiteOf(q, count) ? shadow_->siteOf(q, count) : unknown;
  std::string hint = pipe == other
                         ? text("put PipeBarrier<PIPE_%s>() between the two", nameOf(pipe))
                         : text("EnQue and DeQue the tensor, or SetFlag and WaitFlag<HardEvent::%s> between the two",
                                eventName(other, pipe).c_str());
  return reportOf({write ? Check::ErrorSync1 : Check::ErrorSync2, instruction_,
                   text("%s while %s (%s) may still be %s it: nothing orders the two", what.c_str(), site.instruction,
                        nameOf(other), otherWrites ? "writing" : "reading"),
                   hint.c_str(), where, &site.path, site.instruction});
}

// Writing what is there already is no race; what an instruction writes is seen after it.
void RaceDetector::keepUntilWritten(Pipe pipe, Pipe other, uint32_t count, const LocalAccess& access, Report race) {
  const uint8_t* ub = core->memory[ubIndex];
  writeRaces_.push_back({static_cast<size_t>(pipe), static_cast<size_t>(other), count, access,
                         std::vector<uint8_t>(ub + access.offset, ub + endOf(access)), std::move(race)});
  watches_ = true;
}

// The last instruction of a pipe that has completed for all pipes that it could race with by such an access, see
// pendingIn.
uint32_t RaceDetector::completedForAllPipes(const LocalAccess& access, size_t pipe) const {
  constexpr uint32_t onUb = bitOf(Pipe::S) | bitOf(Pipe::V) | bitOf(Pipe::MTE2) | bitOf(Pipe::MTE3);
  uint32_t pipes = access.memory == ubIndex ? onUb : (1u << pipeCount) - 1;
  if (!access.write) pipes &= ~(1u << pipe);
  // What the scalar unit finds of vector instructions is no race then, and would be nothing new for the pipes that know
  // it.
  if (pipe == vectorPipe && automaticOrder_) pipes &= ~(bitOf(Pipe::S) | bitOf(Pipe::V));
  uint32_t completed = UINT32_MAX;
  for (; pipes != 0; pipes &= pipes - 1)
    completed = std::min(completed, known_[static_cast<size_t>(__builtin_ctz(pipes))][pipe]);
  return completed;
}

void RaceDetector::requireResult(const char* instruction, uint32_t leftBy) {
  if (off_ || !isUnderWay(Pipe::S, leftBy)) return;
  instruction_ = instruction;
  record(raceOf(Pipe::S, Pipe::V, leftBy, false, true, text("%s (S) reads the register of a result", instruction)));
}

void RaceDetector::release(Pipe pipe, uint32_t token) {
  if (off_) return;
  const size_t p = static_cast<size_t>(pipe);
  if (p != scalarPipe) join(known_[p], known_[scalarPipe]);
  VectorClock clock = known_[p];
  clock[p] = shadow_->issued[p];
  constexpr size_t more = 64;  // one by one they cost as much as what is done with them
  if (token >= state_.flags.size()) state_.flags.resize(token + more);
  state_.flags[token] = clock;
}

void RaceDetector::acquire(Pipe pipe, uint32_t token) {
  if (off_) return;
  if (token < state_.flags.size()) join(known_[static_cast<size_t>(pipe)], state_.flags[token]);
  if (late_ != nullptr) late_->land(known_[static_cast<size_t>(pipe)]);
}

void RaceDetector::barrier(Pipe pipe) {
  const size_t p = static_cast<size_t>(pipe);
  known_[p][p] = shadow_->issued[p];
  if (late_ != nullptr) late_->land(known_[p]);
}

void RaceDetector::barrierAll() {
  known_.fill(shadow_->issued);
  if (late_ != nullptr) late_->landAll();
}

// Scalar work has completed when the next instruction is issued, on whatever pipe.
VectorClock RaceDetector::clockAfter(Pipe pipe) {
  const size_t p = static_cast<size_t>(pipe);
  join(known_[p], known_[scalarPipe]);
  VectorClock clock = known_[p];
  clock[p] = shadow_->issued[p];
  clock[scalarPipe] = shadow_->issued[scalarPipe];
  return clock;
}

void RaceDetector::acquireClock(const VectorClock& clock) {
  for (VectorClock& known : known_) join(known, clock);
  if (late_ != nullptr) late_->land(clock);
}

}  // namespace npu_emu
