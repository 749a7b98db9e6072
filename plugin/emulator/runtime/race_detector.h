// The race detector: reports what a device does not guarantee. Races between the pipes of a core and between cores (see
// vector_clock.h), copies that nothing uses, and bytes that nothing has written where they reach an output or the
// scalar unit (see valid_propagation.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "detector_state.h"
#include "global_shadow.h"
#include "local_shadow.h"
#include "overruns.h"
#include "vector_clock.h"

namespace npu_emu {

class LateCopies;
struct LaneMap;

// The detector of one core.
class RaceDetector {
 public:
  // Starts a core on `shadow`. `automaticOrder`: the compiler orders scalar accesses and vector instructions (vector
  // cores).
  void begin(LocalShadow* shadow, bool automaticOrder);
  // The core has finished.
  void end() { shadow_->idleState = std::move(state_); }
  // Sees nothing from here on: only to measure what it costs.
  void switchOff() { off_ = true; }
  bool isOff() const { return off_; }
  // Tells what has completed, and of every instruction.
  void keepCopiesBack(LateCopies* late) { late_ = late; }

  // Accesses of the instruction that is issued next.
  void local(const char* instruction, const LocalAccess& access) {
    if (off_) return;
    instruction_ = instruction;
    state_.local.emplace_back() = access;
  }
  void global(const char* instruction, const GmAccess& access) {
    if (off_) return;
    instruction_ = instruction;
    state_.global.push_back(access);
  }
  // Mmad into the same accumulator: the hardware keeps the order of large ones.
  void ordersItself() { ordersItself_ = true; }
  void worksOn(const LaneMap* lanes) { lanes_ = lanes; }
  void pads(uint32_t leftPadding) { leftPadding_ = leftPadding; }
  // Checks the accesses of the next instruction against earlier ones, and notes them.
  void issue(Pipe pipe);
  // The scalar unit has stored to the bytes, and will write the whole of their cache line back: reports what other cores store in
  // the rest of it.
  void checkRestOfLine(const uint8_t* begin, const uint8_t* end);
  // Drops them: they are of no instruction of the kernel's program.
  void forget();
  // The access that is told next leaves its buffer, which has these bytes of UB, but not UB. `report` is the error that
  // this is where something uses what it destroys.
  void overrun(uint32_t bufferBegin, uint32_t bufferEnd, Report report);
  // Reports the races of the latest instruction that can still be judged: those in which it has written other values
  // than were there before.
  void settleRaces();

  // A flag takes the clock of the pipe along.
  void release(Pipe pipe, uint32_t token);
  void acquire(Pipe pipe, uint32_t token);
  // The next instruction of the pipe waits for the earlier ones.
  void barrier(Pipe pipe);
  // All pipes wait for all others.
  void barrierAll();

  // How many vector instructions have been issued.
  uint32_t vectorInstructions() const { return shadow_->issued[static_cast<size_t>(Pipe::V)]; }
  // Whether the pipe does not know the vector instruction to have completed.
  bool isUnderWay(Pipe pipe, uint32_t vectorInstruction) const {
    return vectorInstruction > known_[static_cast<size_t>(pipe)][static_cast<size_t>(Pipe::V)];
  }
  // Reports the scalar unit where it reads what a vector instruction leaves in a register and may not have left yet.
  void requireResult(const char* instruction, uint32_t leftBy);

  // The clock once everything has completed that the pipe was given so far; once everything has at all.
  VectorClock clockAfter(Pipe pipe);
  const VectorClock& clockAfterAll() const { return shadow_->issued; }
  // What others know to have completed on this core has completed for all that it does from here on.
  void acquireClock(const VectorClock& clock);

  // The bytes of UB hold what somebody has put there without an instruction.
  void setValid(uint32_t offset, uint32_t bytes) { shadow_->valid.set(offset, offset + bytes); }
  // The latest instruction has left there what nobody knows.
  void setInvalid(uint32_t offset, uint32_t bytes) { shadow_->valid.unset(offset, offset + bytes); }

  // In memories other than UB.
  Leftovers& leftovers() { return shadow_->leftovers; }
  // Calls f(offset, bytes) for what nothing has written of so many bytes of UB.
  template <typename F>
  void forEachInvalid(uint32_t begin, uint32_t bytes, F f) const {
    const uint32_t end = begin + bytes;
    for (uint32_t at = begin; (at = shadow_->valid.firstInvalid(at, end)) < end;) {
      const uint32_t next = shadow_->valid.firstValid(at, end);
      f(at - begin, next - at);
      at = next;
    }
  }

 private:
  // Pipes whose newest write to a memory, or read of it, the issuing pipe does not know to have completed, one bit
  // each.
  struct PendingPipes {
    uint32_t writers = 0, readers = 0;
    uint8_t memory = memoryCount;
  };
  PendingPipes pendingIn(uint8_t memory, Pipe pipe) const;
  void check(Pipe pipe, const LocalAccess& access, PendingPipes& pending);
  void checkAgainst(Pipe pipe, Pipe other, const LocalAccess& access, bool otherWrites);
  void note(Pipe pipe, const LocalAccess& access);
  void noteLoad(Pipe pipe, const LocalAccess& access);
  uint32_t completedForAllPipes(const LocalAccess& access, size_t pipe) const;
  Report raceOf(Pipe pipe, Pipe other, uint32_t count, bool write, bool otherWrites, const std::string& what,
                const CallPath* where = nullptr) const;
  void keepUntilWritten(Pipe pipe, Pipe other, uint32_t count, const LocalAccess& access, Report race);
  void settleOverruns();
  // What is left of an access that leaves its buffer, or all of it: calls f(begin, end) for each run.
  template <typename F>
  void forEachRangeInBuffer(size_t access, F f) const;

  void checkGlobal(Pipe pipe);
  void checkGlobal(Pipe pipe, const GmAccess& access);
  bool noteOrderedRows(Pipe pipe, const GmAccess& first, const GmRows& rows);
  bool mayRaceWithOwn(Pipe pipe, const GmAccess& first, const GmRows& rows) const;
  void checkAgainstOwn(Pipe pipe, const GmAccess& access);
  GmInterval intervalOf(Pipe pipe, const GmAccess& access);
  void noteRecent(Pipe pipe, const DetectorState::RecentAccess& access);
  void reportCoreRace(const GmAccess& access, const GmInterval& other, bool otherWrites, const uint8_t* begin,
                      const uint8_t* end);
  void reportSharedLine(const GmInterval& other, const uint8_t* begin, const uint8_t* end);

  LocalShadow* shadow_ = nullptr;
  LateCopies* late_ = nullptr;  // none: copies take effect at once
  bool off_ = false, automaticOrder_ = true, ordersItself_ = false;
  std::array<VectorClock, pipeCount> known_{};  // the clock of each pipe
  DetectorState state_;
  uint32_t leftPadding_ = 0;
  const LaneMap* lanes_ = nullptr;
  const char* instruction_ = "";

  // What few kernels do, and what has to be looked at for it while there is any.
  struct WriteRace {
    size_t pipe, other;
    uint32_t count;  // of the instruction of the other pipe
    LocalAccess access;
    std::vector<uint8_t> before;  // what was there
    Report report;
  };
  struct Overrun {
    size_t access;  // of the next instruction
    uint32_t bufferBegin, bufferEnd;
    Report report;
  };
  bool watches_ = false;
  std::vector<WriteRace> writeRaces_;  // of the latest instruction
  std::vector<Overrun> overruns_;      // of the next one
  Overruns overwritten_;
};

}  // namespace npu_emu
