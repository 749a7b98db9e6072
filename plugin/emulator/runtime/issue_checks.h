// What the issue point checks of operands, and tells the race detector of them. Only for issue.cpp.
#pragma once

#include "issue.h"

namespace npu_emu {

// Bounds, memory, alignment and queue state of a local operand. Traps when the access cannot be carried out.
void checkLocal(const char* instruction, const Extent& extent);

// Bounds and direction of an access to global memory. Traps outside of every tensor and on writes to inputs.
void checkGm(const char* instruction, const GmExtent& extent);

}  // namespace npu_emu
