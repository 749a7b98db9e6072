// Integer divisions that the processor of the host refuses.
#pragma once

namespace npu_emu {

// Carries out the division that raised SIGFPE, as the context of its handler describes it, so that returning from the
// handler goes on behind it. False, with the context unchanged, where it is not one of a kernel that runs.
bool completeDivision(void* signalContext);

}  // namespace npu_emu
