// Where a kernel made a call, noted in nanoseconds: for findings that only show when the kernel has ended.
#pragma once

#include <array>
#include <cstdint>

#include "fiber.h"

namespace npu_emu {

// Return addresses, innermost first; null from where they are unknown.
using CallPath = std::array<const void*, 6>;

// The calls of the kernel that led here; those inside the runtime are left out. Runtime and kernels are compiled with
// frame pointers; the chain is only followed upwards and inside the stack of the fiber.
CallPath callPath(const Fiber& fiber);

}  // namespace npu_emu
