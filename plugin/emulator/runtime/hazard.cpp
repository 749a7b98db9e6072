#include "hazard.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "device.h"
#include "hazard_bits.h"
#include "hazard_log.h"

namespace npu_emu {

namespace {

constexpr size_t scalarPipe = static_cast<size_t>(Pipe::S), vectorPipe = static_cast<size_t>(Pipe::V);
constexpr size_t accumulatorIndex = static_cast<size_t>(Memory::L0C);

void join(Hazards::Clock& into, const Hazards::Clock& from) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], from[i]);
}

std::string eventName(Pipe from, Pipe to) { return std::string(nameOf(from)) + "_" + nameOf(to); }

}  // namespace

void HazardNotes::clear() {
  tokens.clear();
  local.clear();
  global.clear();
  for (auto& accesses : recent) accesses.clear();
}

void Hazards::begin(LocalShadow* shadow, bool automaticOrder) {
  shadow_ = shadow;
  notes_ = std::move(shadow->notes);
  notes_.clear();
  automaticOrder_ = automaticOrder;
  constexpr uint32_t limit = 1u << 29;
  if (*std::max_element(shadow->issued.begin(), shadow->issued.end()) > limit) shadow->forget();
  known_.fill(shadow->issued);
  shadow->valid.clear();
  std::fill(shadow->loaded.begin(), shadow->loaded.end(), 0);
  shadow->loadedBegin = shadow->loadedEnd = 0;
}

void Hazards::forget() {
  notes_.local.clear();
  notes_.global.clear();
  ordersItself_ = ordersWithFixpipe_ = false;
  resultBytes_ = 0;
}

// Pipes whose newest access is not known to be over, one bit each.
static inline uint32_t unordered(const PipeCounts& newest, const PipeCounts& known) {
  uint32_t pipes = 0;
  for (size_t q = 0; q < newest.size(); ++q) pipes |= newest[q] > known[q] ? 1u << q : 0;
  return pipes;
}

inline Hazards::Unordered Hazards::unorderedIn(uint8_t memory, Pipe pipe) const {
  const size_t p = static_cast<size_t>(pipe);
  constexpr auto only = [](Pipe which) { return 1u << static_cast<size_t>(which); };
  uint32_t ordered = 0;
  if (automaticOrder_) ordered |= only(Pipe::S);  // the compiler has every pipe wait for the scalar unit
  if (ordersWithFixpipe_ && memory == accumulatorIndex)
    ordered |= pipe == Pipe::M ? only(Pipe::FIX) : pipe == Pipe::FIX ? only(Pipe::M) : 0;
  // The scalar unit is in order; the compiler keeps vector instructions in order; reading first is in order on every pipe.
  const bool ownWrites = pipe == Pipe::S || ordersItself_ || (pipe == Pipe::V && automaticOrder_);
  return {unordered(shadow_->newestWrites[memory], known_[p]) & ~(ordered | (ownWrites ? only(pipe) : 0)),
          unordered(shadow_->newestReads[memory], known_[p]) & ~(ordered | only(pipe)), memory};
}

// `others` is what was found for the access before: most instructions work in one memory.
inline void Hazards::check(Pipe pipe, const LocalAccess& access, Unordered& others) {
  if (others.memory != access.memory) others = unorderedIn(access.memory, pipe);
  const uint32_t writers = others.writers, readers = access.write ? others.readers : 0;
  for (uint32_t pipes = writers | readers; pipes != 0; pipes &= pipes - 1) {
    const auto q = static_cast<size_t>(__builtin_ctz(pipes));
    const uint32_t end = endOf(access), known = known_[static_cast<size_t>(pipe)][q];
    auto mayTouch = [&](LocalShadow::Marks& marks) { return marks.mayTouch(access.offset, end, known); };
    if ((writers >> q & 1) != 0 && mayTouch(shadow_->writes[access.memory][q]))
      scan(pipe, static_cast<Pipe>(q), access, true);
    if ((readers >> q & 1) != 0 && mayTouch(shadow_->reads[access.memory][q]))
      scan(pipe, static_cast<Pipe>(q), access, false);
  }
}

inline void Hazards::mark(Pipe pipe, const LocalAccess& access) {
  size_t p = static_cast<size_t>(pipe);
  uint32_t count = shadow_->issued[p];
  (access.write ? shadow_->newestWrites : shadow_->newestReads)[access.memory][p] = count;
  uint32_t waited = known_[p == vectorPipe ? scalarPipe : vectorPipe][p];
  LocalShadow::Marks& marks = (access.write ? shadow_->writes : shadow_->reads)[access.memory][p];
  if (marks.isFull()) marks.makeRoom(overForAll(access, p));
  marks.add(access, waited, count);
}

// Whether it touches blocks that were copied in and not used yet.
inline bool Hazards::meetsLoaded(const LocalAccess& access) const {
  const uint32_t from = access.offset / cellBytes, to = (endOf(access) + cellBytes - 1) / cellBytes;
  return to > shadow_->loadedBegin && from < shadow_->loadedEnd && anySet(shadow_->loaded, from, to);
}

void Hazards::issue(Pipe pipe) {
  if (notes_.local.empty() && notes_.global.empty()) return;
  size_t p = static_cast<size_t>(pipe);
  if (p != scalarPipe)
    join(known_[p], known_[scalarPipe]);  // what the scalar unit waited for is over for all it issues
  uint32_t count = ++shadow_->issued[p];
  new (&siteOf(p, count)) Site{instruction_, placeOf(*core)};  // in place: a copy of what was just written waits for it
  // a value read too early tells more than one overwritten
  Unordered others;
  for (const LocalAccess& access : notes_.local)
    if (!access.write) check(pipe, access, others);
  for (const LocalAccess& access : notes_.local)
    if (access.write) check(pipe, access, others);
  if (pipe == Pipe::MTE2 || shadow_->loadedBegin != shadow_->loadedEnd)
    for (const LocalAccess& access : notes_.local)
      if (access.memory == ubIndex && ((pipe == Pipe::MTE2 && access.write) || meetsLoaded(access)))
        noteLoads(pipe, access);
  // what the compiler has every pipe wait for is never asked for
  if (pipe != Pipe::S || !automaticOrder_)
    for (const LocalAccess& access : notes_.local) mark(pipe, access);
  if (!notes_.global.empty()) checkGlobal(pipe);
  if (!core->isCube) propagate(pipe);
  forget();
}

void Hazards::scan(Pipe pipe, Pipe other, const LocalAccess& access, bool otherWrites) {
  const auto q = static_cast<size_t>(other);
  LocalShadow::Marks& marks = (otherWrites ? shadow_->writes : shadow_->reads)[access.memory][q];
  uint32_t found = 0, place = 0;
  const uint32_t known = known_[static_cast<size_t>(pipe)][q], limit = tagOf(known, true);
  const LocalAccess theirs{access.memory, otherWrites, 0, {}, ""};
  if (!marks.settle(access.offset, endOf(access), known, overForAll(theirs, q))) return;
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    bool any = false;
    for (uint32_t cell = first; cell < last; ++cell) any |= marks.last[cell] > limit;
    if (!any) return;
    for (uint32_t cell = first; cell < last; ++cell) {
      uint32_t tag = marks.last[cell];
      if (tag <= limit) continue;
      uint32_t theirs = (tag & 1) != 0 ? marks.part[cell] : ~0u;
      if ((bitsIn(cell, begin, end) & theirs) == 0) continue;
      if (found == 0) place = std::max(begin, cell * cellBytes);
      found = std::max(found, tag >> 1);
    }
  });
  if (found != 0) conflict(pipe, other, found, access, otherWrites, place);
}

void Hazards::conflict(Pipe pipe, Pipe other, uint32_t count, const LocalAccess& access, bool otherWrites,
                       uint32_t offset) {
  size_t p = static_cast<size_t>(pipe), q = static_cast<size_t>(other);
  bool compilerOrders = pipe == Pipe::S && automaticOrder_;
  if (!compilerOrders) {
    auto memory = static_cast<Memory>(access.memory);
    reportRace(pipe, other, count, access.write, otherWrites,
               text("%s (%s) %s %s from 0x%x on", access.role, nameOf(pipe), access.write ? "writes" : "reads",
                    nameOf(memory), offset));
  }
  known_[p][q] = std::max(known_[p][q], count);
}

void Hazards::reportRace(Pipe pipe, Pipe other, uint32_t count, bool write, bool otherWrites, const std::string& what) {
  size_t q = static_cast<size_t>(other);
  bool remembered = shadow_->issued[q] - count < LocalShadow::siteCount;
  static const Site unknown{"an earlier instruction", {}};
  const Site& site = remembered ? siteOf(q, count) : unknown;
  std::string hint = pipe == other
                         ? text("put PipeBarrier<PIPE_%s>() between the two", nameOf(pipe))
                         : text("EnQue and DeQue the tensor, or SetFlag and WaitFlag<HardEvent::%s> between the two",
                                eventName(other, pipe).c_str());
  report({write ? Check::ErrorSync1 : Check::ErrorSync2, instruction_,
          text("%s while %s (%s) may still %s it: nothing orders the two", what.c_str(), site.instruction,
               nameOf(other), otherWrites ? "write" : "read"),
          hint.c_str(), nullptr, &site.path, site.instruction});
}

// The last instruction of a pipe that is over for all pipes that it could meet in such an access, see unorderedIn.
uint32_t Hazards::overForAll(const LocalAccess& access, size_t pipe) const {
  constexpr auto bit = [](Pipe which) { return 1u << static_cast<size_t>(which); };
  constexpr uint32_t onUb = bit(Pipe::S) | bit(Pipe::V) | bit(Pipe::MTE2) | bit(Pipe::MTE3);
  uint32_t pipes = access.memory == ubIndex ? onUb : (1u << pipeCount) - 1;
  if (!access.write) pipes &= ~(1u << pipe);
  // What the scalar unit finds of vector instructions is no race then, and would be nothing new for the pipes that know it.
  if (pipe == vectorPipe && automaticOrder_) pipes &= ~(bit(Pipe::S) | bit(Pipe::V));
  uint32_t over = UINT32_MAX;
  for (; pipes != 0; pipes &= pipes - 1) over = std::min(over, known_[static_cast<size_t>(__builtin_ctz(pipes))][pipe]);
  return over;
}

// A whole copy from global memory that nothing has used when the next one takes its place.
void Hazards::noteLoads(Pipe pipe, const LocalAccess& access) {
  auto& loaded = shadow_->loaded;
  bool loads = pipe == Pipe::MTE2 && access.write, lost = loads;
  uint32_t from = access.offset / cellBytes, to = (endOf(access) + cellBytes - 1) / cellBytes;
  auto &loadedBegin = shadow_->loadedBegin, &loadedEnd = shadow_->loadedEnd;
  if (loads) {
    loadedBegin = loadedBegin == loadedEnd ? from : std::min(loadedBegin, from);
    loadedEnd = std::max(loadedEnd, to);
  }
  forEachRun(access, [&](uint32_t begin, uint32_t end) {
    uint32_t first = begin / cellBytes, last = (end + cellBytes - 1) / cellBytes;
    lost = lost && allSet(loaded, first, last);
    setBits(loaded, first, last, loads);
  });
  if (!loads &&
      access.runs.rows * access.runs.blocks == 1) {  // most use all that was loaded: then there is nothing to look for
    if (from <= loadedBegin) loadedBegin = std::min(to, loadedEnd);
    else if (to >= loadedEnd) loadedEnd = from;
  }
  if (!lost) return;
  report({Check::ErrorWrite3, instruction_,
          text("copies over UB 0x%x; nothing has used what was copied there before", access.offset),
          "leave out the first copy, or use its data before"});
}

void Hazards::set(Pipe pipe, uint32_t token) {
  if (off_) return;
  size_t p = static_cast<size_t>(pipe);
  if (p != scalarPipe) join(known_[p], known_[scalarPipe]);
  Clock clock = known_[p];
  clock[p] = shadow_->issued[p];
  constexpr size_t more = 64;  // one by one they cost as much as what is done with them
  if (token >= notes_.tokens.size()) notes_.tokens.resize(token + more);
  notes_.tokens[token] = clock;
}

void Hazards::wait(Pipe pipe, uint32_t token) {
  if (off_) return;
  if (token < notes_.tokens.size()) join(known_[static_cast<size_t>(pipe)], notes_.tokens[token]);
}

void Hazards::barrier(Pipe pipe) {
  size_t p = static_cast<size_t>(pipe);
  known_[p][p] = shadow_->issued[p];
}

void Hazards::barrierAll() { known_.fill(shadow_->issued); }

// Scalar work is over when the next instruction is issued, on whatever pipe.
Hazards::Clock Hazards::toldBy(Pipe pipe) {
  size_t p = static_cast<size_t>(pipe);
  join(known_[p], known_[scalarPipe]);
  Clock clock = known_[p];
  clock[p] = shadow_->issued[p];
  clock[scalarPipe] = shadow_->issued[scalarPipe];
  return clock;
}

void Hazards::learn(const Clock& over) {
  for (Clock& known : known_) join(known, over);
}

void Hazards::exposed(uint32_t offset, uint32_t bytes) { shadow_->valid.set(offset, offset + bytes); }

}  // namespace npu_emu
