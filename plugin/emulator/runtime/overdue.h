// Launches that have used up their processor time.
#pragma once

namespace npu_emu {

// For a signal handler: ends the launch with a report, at the next instruction of a core. At once, without returning,
// where `insideKernel` says that the signal has met code of the kernel itself: nothing of ours was under way then.
void endOverdue(bool insideKernel);

}  // namespace npu_emu
