// Launches that have used up their processor time.
#pragma once

#include <cstdint>

namespace npu_emu {

// For a signal handler: ends the launch with a report, at the next instruction of a core. At once, without returning,
// where the signal has met code of the kernel itself, as its address and frame say: nothing of ours was under way then.
struct Interrupted {
  bool insideKernel;
  uintptr_t address, stack, frame;
};
void endOverdue(const Interrupted& code);

}  // namespace npu_emu
