// Where a kernel made a call, noted in nanoseconds: for findings that only show when the kernel has ended.
#pragma once

#include <array>
#include <cstdint>

#include "fiber.h"

namespace npu_emu {

struct KernelFacts;

// Return addresses, innermost first; null from where they are unknown.
using CallPath = std::array<const void*, 6>;

// The calls of the kernel that led here, in the process that holds it; those inside the runtime are left out. Runtime
// and kernels are compiled with frame pointers; the chain is only followed upwards and inside the stack of the fiber.
CallPath callPath(const Fiber& fiber);

// Of code that a signal has met, by the address of its next instruction, its stack pointer and its frame.
CallPath callPathAt(const Fiber& fiber, uintptr_t address, uintptr_t stack, uintptr_t frame);

// How far behind the first of its library an address in the code of the kernel is.
int64_t offsetInKernel(uintptr_t address);

// Where return addresses are those of the kernel: its libraries, as they are loaded. Told before a launch.
void setKernelCode(const KernelFacts& facts);

}  // namespace npu_emu
