// One core while the clock plays a launch: a scalar stream that issues into in-order pipes.
//
// An instruction occupies its pipe for `occupancy` cycles and its result is visible `tail` cycles later; flags, queues and
// barriers pass that moment on. What a core does by itself is computed ahead, as far as it does not depend on others: the end of
// a transfer follows from what all cores ask of the memory, the end of a round from those that take part.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "pipe_recorder.h"
#include "trace.h"

namespace npu_emu {

// A flag or barrier of several cores: when those that take part have arrived, and who waits for them.
struct Round {
  uint32_t missing = 0;
  double last = 0;
  std::vector<uint32_t> waiting;
};

// A transfer that begins, told to whoever shares the memory out.
struct TransferStart {
  double time;
  uint32_t core, entry;
  Pipe pipe;
  bool operator>(const TransferStart& other) const {
    return time != other.time ? time > other.time : core != other.core ? core > other.core : pipe > other.pipe;
  }
};

// What the players of a launch tell each other.
struct Meetings {
  std::unordered_map<uint32_t, Round> rounds;
  std::vector<TransferStart> starts;  // since somebody has looked
  std::vector<uint32_t> released;     // cores whose round has ended
};

class CorePlayer {
 public:
  CorePlayer(const Trace& trace, uint32_t number, double nsPerCycle, Meetings& meetings, double now);

  // Goes on until something outside decides.
  void play();
  // The pipe is free from `end` on, and the result is visible at `visible`.
  void endTransfer(Pipe pipe, double end, double visible);
  // Goes on without those it waits for.
  void giveUp();

  bool hasEnded() const;
  double reached() const;
  double begun() const { return begun_; }
  std::array<double, pipeCount> busy() const;
  double waitedForCores() const { return waitedForCores_; }

  // Tells from here on what the pipes do.
  void recordTo(CoreRecorder* recorder) { recorder_ = recorder; }

 private:
  static constexpr uint32_t depth = 32;  // instructions that a pipe takes ahead
  struct Item {
    uint32_t entry, set;
    double issued;
  };
  struct Lane {
    double free = 0, done = 0, busy = 0, transferFrom = 0;
    uint32_t transferEntry = 0;
    bool isTransferring = false;
    uint64_t issued = 0, started = 0;
    std::array<Item, depth> items;
    std::array<double, depth> starts;
  };

  void spend(uint32_t cycles, uint32_t entry);
  bool issueNext();
  bool issueTo(const TraceEntry& entry);
  bool meet(const TraceEntry& entry, bool withoutOthers);
  bool begin(size_t pipe, Lane& lane, const Item& item);
  bool drain(size_t pipe);
  void work(size_t pipe, Lane& lane, const TraceEntry& entry, double start, uint32_t index);
  bool areIdle() const;
  void releaseAt(double time);
  void arrive(Round& round, double time);
  uint32_t& setOf(uint32_t token);
  uint32_t addSet(Pipe setter, uint32_t token, double time);
  double timeOf(uint32_t set) const { return set == 0 ? 0 : setTimes_[set - 1]; }

  void note(size_t pipe, const PipeInterval& interval, uint32_t entry);
  void noteWait(size_t pipe, double from, double to, const char* what);
  void noteWaits(double time, const char* what);

  const Trace& trace_;
  uint32_t number_;
  double nsPerCycle_, flagNs_;
  Meetings& meetings_;
  uint32_t next_ = 0;
  bool hasArrived_ = false, isWaiting_ = false;  // at the round it is to pass
  double begun_, scalar_, waitedForCores_ = 0;
  std::array<Lane, pipeCount> lanes_;
  std::vector<double> setTimes_;    // of flags in the order in which they are set; not a number: not yet
  std::vector<Pipe> setters_;       // of these flags
  std::vector<uint32_t> lastSets_;  // by token: the last one, counted from 1
  CoreRecorder* recorder_ = nullptr;
};

}  // namespace npu_emu
