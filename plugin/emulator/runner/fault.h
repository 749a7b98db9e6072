// Tells where a candidate's memory access went wrong, in words that are the same on every run.
#pragma once

#include <cstddef>
#include <vector>

#include "launch.h"

namespace npu_runner {

// Written by the dying child, read by the supervisor: memory that both share.
struct FaultNote {
  static constexpr size_t capacity = 160;
  // e.g. `y + 4096 (64 bytes long)`; empty: not known
  char place[capacity];
};

// Watches for faults of this process; they still end it, but for divisions of a kernel. `note` must stay mapped.
void watchFaults(FaultNote* note);
// What lies where, for the launch that follows. Must stay as it is until it is replaced.
void nameRegions(const std::vector<npu_emu::GmRegion>* regions);

}  // namespace npu_runner
