// The emulated clock: every instruction leaves a record; the records are timed after the kernel has run.
//
// A core is one in-order scalar stream that feeds in-order pipes. An instruction occupies its pipe for `occupancy`
// cycles and its result is visible `tail` cycles later; flags, queues and barriers pass that moment on. Global memory
// is shared: each core that uses it gets an equal part of the bandwidth.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "profile.h"

namespace npu_emu {

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Count };
constexpr size_t pipeCount = static_cast<size_t>(Pipe::Count);
const char* nameOf(Pipe pipe);

struct TraceEntry {
  // SyncAll arrives at a round of a barrier and waits for its end; CrossSet does the first, CrossWait and CrossWaitAll the second:
  // for a few cores, and for all of a kind, which is what SyncAll is made of.
  enum Kind : uint8_t { Work, Read, Write, Set, Wait, Barrier, BarrierAll, SyncAll, CrossSet, CrossWait, CrossWaitAll };
  Kind kind;
  Pipe pipe;
  bool afterOwnPipe;     // waits for the pipe's previous result first (a dependent instruction under automatic sync)
  uint8_t scalarCycles;  // what issuing costs the scalar unit
  uint32_t token;        // Set, Wait; of the round: SyncAll, CrossSet and what waits for it
  uint32_t occupancy;    // cycles, without the transfer itself
  uint32_t tail;         // cycles
  uint32_t bytes;        // Read, Write: global-memory traffic
};

using Trace = std::vector<TraceEntry>;

// What a pipe did between two times, in nanoseconds since the cores started: one instruction, one wait, or, where there are
// too many to be told one by one, several of them.
struct PipeInterval {
  double begin, end;
  double busy, waited;      // of that time
  uint32_t count;           // instructions and waits
  const char* instruction;  // nullptr: none; "several"
  const char* waitsFor;     // a pipe, "all pipes" or "cores"; nullptr: nothing; "several"
};

// The pipes of one core.
struct CoreTimes {
  size_t core;  // which of the traces
  double end;
  std::array<std::vector<PipeInterval>, pipeCount> pipes;
};

struct TimedKernel {
  double ns = 0;
  double busyNs[pipeCount] = {};  // on the core that finishes last
  size_t slowest = 0;             // the trace of that core
  std::vector<double> ends;       // by trace
};

// What a launch takes that fills so many bytes of global memory.
double fillNs(uint64_t bytes, const SocProfile& soc);

// Times the traces of all cores. `launchCores` counts every started core, those without work included; as many as
// `coresAtOnce` run at the same time, and the others begin where one of these has ended.
TimedKernel timeTraces(const std::vector<const Trace*>& traces, size_t launchCores, size_t coresAtOnce,
                       const SocProfile& soc);

// Names of the instructions that have left the records of a trace; nullptr for what is none.
using TraceNames = std::vector<const char*>;

// Times the traces once more, and tells what the pipes of some of these cores did when. `names`: by trace.
std::vector<CoreTimes> timelineOf(const std::vector<const Trace*>& traces, const std::vector<const TraceNames*>& names,
                                  size_t coresAtOnce, const SocProfile& soc, const std::vector<size_t>& shown);

}  // namespace npu_emu
