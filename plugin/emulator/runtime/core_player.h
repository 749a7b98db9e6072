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
  uint32_t core;
  Pipe pipe;
  bool operator>(const TransferStart& other) const {
    return time != other.time ? time > other.time : core != other.core ? core > other.core : pipe > other.pipe;
  }
};

// Transfers that are to begin: few, and most of those that come in are the next ones.
class TransferStarts {
 public:
  bool isEmpty() const { return all_.empty(); }
  const TransferStart& first() const { return all_.back(); }
  TransferStart take();
  void add(const TransferStart& start);

 private:
  std::vector<TransferStart> all_;  // the first one last
};

// What the players of a launch tell each other.
struct Meetings {
  std::unordered_map<uint32_t, Round> rounds;
  TransferStarts starts;
  std::vector<uint32_t> released;  // cores whose round has ended
};

// What an instruction that moves something asks of the memory.
struct TransferRequest {
  TraceEntry entry;
  TraceReader transfers;
};

class CorePlayer {
 public:
  CorePlayer(const Trace& trace, uint32_t number, double nsPerCycle, Meetings& meetings, double now);

  // Goes on until something outside decides.
  void play();
  // Of the transfer that the pipe has begun.
  const TransferRequest& requestOf(Pipe pipe) const { return lanes_[static_cast<size_t>(pipe)].request; }
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
  static constexpr uint32_t noSet = 0;

  // A flag that was set, from the time at which that is issued until nobody can wait for it any more.
  struct Set {
    double time;     // not a number: not yet
    double from;     // when what the pipe did last before it began
    uint32_t users;  // instructions of pipes that set it and wait for it; and its token, until it is set again
    Pipe setter;
  };
  // An instruction that waits for its pipe.
  struct Item {
    TraceEntry entry;
    uint32_t set;
    double issued;
    TraceReader transfers;
  };
  struct Lane {
    bool isIdle() const { return issued == started && !isTransferring; }

    double free = 0, done = 0, busy = 0, transferFrom = 0;
    double begun = 0;                       // when its last work began
    double beginsAfter = 0, endsAfter = 0;  // of the work that comes next
    uint64_t issued = 0, started = 0;
    bool isTransferring = false;
    TransferRequest request;
    std::vector<Item> items;  // by number, modulo `depth`; empty until the pipe is not idle where one is issued to it
    std::array<double, depth> starts;
  };

  void step();
  void spend(uint64_t cycles);
  bool issueNext();
  bool issueScalar(const TraceEntry& entry);
  bool issueTo(const TraceEntry& entry);
  bool meet(const TraceEntry& entry, bool withoutOthers);
  bool begin(size_t pipe, Lane& lane, const TraceEntry& entry, const TraceReader& transfers, double issued,
             uint32_t set);
  bool drain();
  bool drain(size_t pipe);
  void work(size_t pipe, Lane& lane, const TraceEntry& entry, const TraceReader& transfers, double start);
  bool areIdle() const;
  void releaseAt(double time);
  void arrive(Round& round, double time);
  uint32_t& setOf(uint32_t token);
  uint32_t addSet(Pipe setter, uint32_t token, double time);
  uint32_t useSet(uint32_t set);
  void leaveSet(uint32_t set);

  void note(size_t pipe, double from, double to, double busy, uint32_t origin);
  void noteWait(size_t pipe, double from, double to, const char* what);
  void noteWaits(double time, const char* what);

  TraceReader reader_;  // after the next record
  TraceEntry next_;
  bool hasNext_ = false;
  uint32_t number_;
  double nsPerCycle_, flagNs_;
  Meetings& meetings_;
  bool hasArrived_ = false, isWaiting_ = false;  // at the round it is to pass
  double begun_, scalar_, waitedForCores_ = 0;
  std::array<Lane, pipeCount> lanes_;
  uint32_t queued_ = 0;    // pipes for which instructions wait, by bit
  std::vector<Set> sets_;  // the first one is none
  std::vector<uint32_t> freeSets_;
  std::vector<uint32_t> lastSets_;  // by token
  CoreRecorder* recorder_ = nullptr;
};

}  // namespace npu_emu
