// The emulated clock: every instruction leaves a record (trace.h); when the kernel has run, all cores are played against the
// memory that they share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "launch.h"
#include "pipe_recorder.h"
#include "profile.h"
#include "trace.h"

namespace npu_emu {

// What is played.
struct Played {
  std::vector<const Trace*> traces;  // by core; they have ended
  std::vector<GmRegion> regions;     // of global memory
  const SocProfile& soc;
  size_t groupsAtOnce;  // blocks that the device runs at the same time; the others begin where one of these has ended
  size_t cubeCoresPerGroup, vectorCoresPerGroup;
  bool isMixed() const { return cubeCoresPerGroup != 0 && vectorCoresPerGroup != 0; }
};

// The pipes of one core.
struct CoreTimes {
  size_t core;  // which of the traces
  double end;
  std::array<std::vector<PipeInterval>, pipeCount> pipes;
  std::vector<PlaceTime> places;
};

struct TimedKernel {
  double ns = 0;
  std::array<double, pipeCount> busyNs{};  // on the core that finishes last
  size_t slowest = 0;                      // the trace of that core
  std::vector<double> ends;                // by trace
  LaunchShares shares;
};

// What a launch takes that fills so many bytes of global memory.
double fillNs(uint64_t bytes, const SocProfile& soc);

// Plays the traces of all cores.
TimedKernel timeTraces(const Played& played);

// Plays them once more, and tells what the pipes of some of these cores did when. `origins`: by trace.
std::vector<CoreTimes> timelineOf(const Played& played, const std::vector<const TraceOrigins*>& origins,
                                  const std::vector<size_t>& shown);

// What the same launch takes when it comes again, and L2 holds what it has left there.
double warmNs(const Played& played);

}  // namespace npu_emu
