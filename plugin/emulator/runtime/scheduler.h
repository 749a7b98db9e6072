// Runs the cores of a launch, one after the other in one thread: each until it finishes, or waits for another one.
#pragma once

#include <vector>

#include "core.h"
#include "core_context.h"
#include "launch.h"

namespace npu_emu {

// A core, and the context it runs in between its start and its end.
struct ScheduledCore {
  Core core;
  CoreContext* context = nullptr;
};

// Until all have finished, one traps, or none can go on: that is reported, and ends the launch as a trap does. Groups past
// those that the device runs at once begin whole, each where another one has ended.
void runCores(std::vector<ScheduledCore>& cores);

// Gives the contexts of cores that never finished back. They hold abandoned stacks, and are simply used again.
void releaseContexts(std::vector<ScheduledCore>& cores);

}  // namespace npu_emu
