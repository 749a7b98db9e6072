// The border between the runner (processes, files, confinement) and the emulated device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace npu_emu {

enum class Access : uint8_t { In, Out, InOut };

// One allocation in global memory. `base` is aligned to 512 bytes; bytes [bytes, padded) may be touched (with a
// warning), as a device pads every allocation to 512 bytes.
struct GmRegion {
  uint8_t* base;
  size_t bytes;
  Access access;
  std::string name;
  // What it is for. Constants of the kernel can be copied from, and are no memory of the device otherwise.
  enum Use : uint8_t { Tensor, Workspace, Tiling, Constants, OutputShapes };
  Use use = Tensor;
  bool isHintedPastL2 = false;  // SetL2CacheHint, which holds from there on, for all cores
  bool usesL2 = false;          // copies have gone through L2 before, or without the hint
  bool isFilled = false;        // an output that holds what somebody has put there before the kernel starts
  static constexpr uint32_t notCovered = ~uint32_t(0);
  uint32_t coverage = notCovered;            // place in Device::coverage
  uint32_t written = notCovered;             // place in Device::written; not covered: all of it is taken for written
  uint64_t bytesRead = 0, bytesWritten = 0;  // by all cores, as often as they have

  // Whether all copies from and to it go past L2.
  bool bypassesL2() const { return isHintedPastL2 && !usesL2; }
};

// Variables of which every core has its own: the running core finds them at `data`.
struct CoreVariables {
  uint8_t* data = nullptr;
  const uint8_t* image = nullptr;  // what they hold when a core starts
  size_t bytes = 0;
};

// What the translation unit of a kernel exports for one core kind (see include/ascendc/entry.h).
struct KernelEntry {
  void (*call)(uint8_t* const* args) = nullptr;
  unsigned arity = 0;
  CoreVariables variables;
};

// Which core runs first where nothing orders them. All orders are those of some device. Shuffled: cores go on in an order, and as
// often, as is drawn, and others may go on wherever one stores or looks past its cache. The contexts of cores are drawn in all.
struct CoreOrder {
  enum Kind : uint8_t { Forward, Reverse, Shuffled };
  Kind kind = Forward;
  uint64_t seed = 0;
};

// Bytes of global memory of which a launch tells who has written them last.
struct WatchedBytes {
  const uint8_t* begin;
  uint64_t bytes;
};

struct LaunchRequest {
  std::string soc;
  KernelEntry aiv, aic;
  uint32_t blockDim = 1;
  uint64_t tilingKey = 0;
  int taskType = -1;           // a KernelMetaType; below 0 where the kernel declares none
  std::vector<uint8_t*> args;  // inputs, outputs, workspace, tiling: what the kernel receives
  std::vector<GmRegion> regions;
  uint64_t filledBytes = 0;  // of outputs, which another launch fills before the kernel starts
  uint32_t ubBytes = 0;      // of UB that the host part was told of, where that is less than there is; else 0
  bool autoSync = true;
  bool exactApproximations = false;  // Reciprocal and Rsqrt correctly rounded instead of by table
  CoreOrder coreOrder;
  bool lateCopies = false;  // copies take effect as late as flags allow (see late_copies.h); not without `hazards`
  bool dryRun =
      false;  // nothing is computed, see dry_run.h; not with `hazards`; it begins anew where `lateCopies` matter
  std::vector<WatchedBytes> watched;
  bool clock = true;      // off: nobody asks for the latency, which is 0
  bool timeline = false;  // tells what the pipes of a few cores did when
  bool hazards = true;    // off only to measure what the bookkeeping costs: races and invalid bytes are not seen then
};

struct Report {
  std::string code;
  bool isError = true;
  std::string message, hint, core, instruction;
  std::vector<const void*> frames;  // return addresses, innermost first
  uint32_t count = 1;
  std::string otherInstruction;  // the other side of a race, where there is one
  std::vector<const void*> otherFrames;
  bool otherWrites = false;  // tells races at one place apart
};

// How many bytes of a tensor instructions have read and written, each once, by cells of 32 bytes.
struct TensorCoverage {
  const uint8_t* base;
  uint64_t bytes, read, written;
};

// The last of the instructions that have written some bytes; none where `writes` is 0.
struct LastWrite {
  uint64_t writes = 0;
  bool isAtomic = false;
  std::string core, instruction;
  std::vector<const void*> frames;  // return addresses, innermost first
};

struct PipeTime {
  std::string pipe;
  double ns;
};

// What a pipe did, see clock.h. Times are nanoseconds since the cores started.
struct TimedInterval {
  double begin, end, busy, waited;
  uint32_t count;
  std::string instruction, waitsFor;  // empty: none
};
struct TimedPipe {
  std::string pipe;
  std::vector<TimedInterval> intervals;
};
struct TimedCore {
  std::string core;
  double end;
  std::vector<TimedPipe> pipes;
};

// What makes up a latency. Times of a core are those of the one that finishes last.
struct LaunchShares {
  double launchNs = 0;                           // until the first core begins
  double coreNs = 0;                             // from the begin of the core to its end
  double waitedNs = 0;                           // the core for others
  double hbmSaturatedNs = 0, l2SaturatedNs = 0;  // while cores would have taken more than there was
  double hbmBytes = 0, l2Bytes = 0;              // that each memory has served
  double unrecordedNs = 0;  // of the core, for what there was no room to record: one thing after the other
  double warmNs = 0;  // the latency where L2 holds what the same launch has left in it; with a timeline only, else 0
};

// What all calls of an instruction at a place of the kernel took, on the core that finishes last.
struct HotPlace {
  std::string instruction, pipe;
  double ns;
  uint64_t count;
  std::vector<const void*> frames;  // return addresses, innermost first
};

// What the same instructions take on another device.
struct TimeElsewhere {
  std::string soc;
  double latencyNs;
};

// What the clock itself took: processor time to play a launch once, and bytes of its records.
struct ClockCost {
  double ms = 0;
  uint64_t bytes = 0;
};

struct LaunchResult {
  double latencyNs = 0;
  LaunchShares shares;
  std::string profile;
  std::vector<PipeTime> pipes;
  std::vector<Report> reports;
  std::vector<TensorCoverage> coverage;
  std::vector<LastWrite> writers;  // of what is watched
  std::vector<std::vector<uint64_t>>
      toldShapes;                   // by output, where the kernel has to tell them; none: it has no dimensions
  std::vector<TimedCore> timeline;  // where it was asked for
  // with a timeline:
  std::vector<HotPlace> hottest;  // the longest first
  std::vector<TimeElsewhere> elsewhere;
  ClockCost clock;
  bool addsFloats = false;  // atomically: the sum is rounded in the order in which cores run
  bool polls = false;       // cores have looked past their caches for what others store
  bool meets = false;       // and others have stored there: what is found depends on the order of cores
  bool endedDryRun =
      false;             // it was one, and something depends on what it would have computed: it has to be launched anew
  bool trapped = false;  // a trap ended the launch: the last error report says why, the outputs are void
};

// Runs the kernel on every block, deterministically, in the calling thread. Never throws; a trap ends the launch and is
// the last error report.
LaunchResult launch(const LaunchRequest& request);

}  // namespace npu_emu
