// Where a kernel made a call, remembered at a cost of nanoseconds: for findings that only show when the kernel has ended.
#pragma once

#include <array>
#include <cstdint>

#include "fiber.h"

namespace npu_emu {

// Return addresses, innermost first; null from where they are unknown.
using CallPath = std::array<const void*, 6>;

// The calls that led to the function this is inlined into. Kernels are compiled with frame pointers; the chain is only
// followed upwards and inside the stack of the fiber.
[[gnu::always_inline]] inline CallPath callPath(const Fiber& fiber) {
  CallPath path{};
  auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t end = reinterpret_cast<uintptr_t>(fiber.stack) + fiber.stackBytes - 2 * sizeof(void*);
  for (const void*& address : path) {
    const auto* words = reinterpret_cast<const uintptr_t*>(frame);
    address = reinterpret_cast<const void*>(words[1]);
    if (words[0] <= frame || words[0] > end || words[0] % sizeof(void*) != 0) break;
    frame = words[0];
  }
  return path;
}

}  // namespace npu_emu
