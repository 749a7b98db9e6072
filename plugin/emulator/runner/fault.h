// Signals that meet a candidate: a memory access that went wrong, told in words that are the same on every run; a division
// that the processor refuses; processor time that is used up.
#pragma once

#include <cstddef>
#include <vector>

#include "launch.h"
#include "library.h"

namespace npu_runner {

// Written by the dying child, read by the supervisor: memory that both share.
struct FaultNote {
  static constexpr size_t capacity = 160;
  // e.g. `y + 4096 (64 bytes long)`; empty: not known
  char place[capacity];
};

// Watches for faults of this process; they still end it, but for divisions of a kernel. SIGXCPU ends the launch, if there is
// one that can be ended. `note` must stay mapped.
void watchFaults(FaultNote* note);

// What lies where, for the launch that follows: its memory, and the libraries of the kernel, null where there is none. Must
// stay as it is until it is replaced.
void watchLaunch(const std::vector<npu_emu::GmRegion>* regions, const Library* aiv, const Library* aic);

}  // namespace npu_runner
