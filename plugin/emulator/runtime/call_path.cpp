#include "call_path.h"

// Set by the linker: the first byte of this library, and the end of its code.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start[], etext[];

namespace npu_emu {

CallPath callPath(const Fiber& fiber) {
  CallPath path{};
  auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  uintptr_t end = reinterpret_cast<uintptr_t>(fiber.stack) + fiber.stackBytes - 2 * sizeof(void*);
  size_t length = 0;
  for (int depth = 0; depth < 24 && length < path.size(); ++depth) {
    const auto* words = reinterpret_cast<const uintptr_t*>(frame);
    bool ofRuntime =
        words[1] >= reinterpret_cast<uintptr_t>(__ehdr_start) && words[1] < reinterpret_cast<uintptr_t>(etext);
    if (!ofRuntime) path[length++] = reinterpret_cast<const void*>(words[1]);
    if (words[0] <= frame || words[0] > end || words[0] % sizeof(void*) != 0) break;
    frame = words[0];
  }
  return path;
}

}  // namespace npu_emu
