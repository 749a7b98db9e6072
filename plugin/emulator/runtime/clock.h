// The emulated clock: every instruction leaves a record; the records are timed after the kernel has run.
//
// A core is one in-order scalar stream that feeds in-order pipes. An instruction occupies its pipe for `occupancy`
// cycles and its result is visible `tail` cycles later; flags, queues and barriers pass that moment on. Global memory
// is shared: each core that uses it gets an equal part of the bandwidth.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profile.h"

namespace npu_emu {

enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, Count };
constexpr size_t pipeCount = static_cast<size_t>(Pipe::Count);
const char* nameOf(Pipe pipe);

struct TraceEntry {
  // SyncAll arrives at a round of a barrier and waits for its end; CrossSet and CrossWait do one of the two.
  enum Kind : uint8_t { Work, Read, Write, Set, Wait, Barrier, BarrierAll, SyncAll, CrossSet, CrossWait };
  Kind kind;
  Pipe pipe;
  bool afterOwnPipe;     // waits for the pipe's previous result first (a dependent instruction under automatic sync)
  uint8_t scalarCycles;  // what issuing costs the scalar unit
  uint32_t token;        // Set, Wait; of the round: SyncAll, CrossSet, CrossWait
  uint32_t occupancy;    // cycles, without the transfer itself
  uint32_t tail;         // cycles
  uint32_t bytes;        // Read, Write: global-memory traffic
};

using Trace = std::vector<TraceEntry>;

struct TimedKernel {
  double ns = 0;
  double busyNs[pipeCount] = {};  // on the core that finishes last
};

// What a launch takes that fills so many bytes of global memory.
double fillNs(uint64_t bytes, const SocProfile& soc);

// Times the traces of all cores. `launchCores` counts every started core, those without work included; as many as
// `coresAtOnce` run at the same time, and the others begin where one of these has ended.
TimedKernel timeTraces(const std::vector<const Trace*>& traces, size_t launchCores, size_t coresAtOnce,
                       const SocProfile& soc);

}  // namespace npu_emu
