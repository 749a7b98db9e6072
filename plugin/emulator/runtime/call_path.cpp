#include "call_path.h"

#include "replay.h"

namespace npu_emu {

namespace {

struct Range {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t address) const { return address - begin < end - begin; }
};
Range kernelCode[2];

}  // namespace

void setKernelCode(const KernelFacts& facts) {
  kernelCode[0] = {facts.aiv.begin, facts.aiv.end};
  kernelCode[1] = {facts.aic.begin, facts.aic.end};
}

int64_t offsetInKernel(uintptr_t address) {
  const Range& code = kernelCode[kernelCode[0].contains(address) ? 0 : 1];
  return static_cast<int64_t>(address - code.begin);
}

namespace {

void follow(const Fiber& fiber, uintptr_t frame, CallPath& path, size_t length) {
  const uintptr_t end = reinterpret_cast<uintptr_t>(fiber.stack) + fiber.stackBytes - 2 * sizeof(void*);
  for (int depth = 0; depth < 24 && length < path.size(); ++depth) {
    const auto* words = reinterpret_cast<const uintptr_t*>(frame);
    if (kernelCode[0].contains(words[1]) || kernelCode[1].contains(words[1]))
      path[length++] = reinterpret_cast<const void*>(words[1]);
    if (words[0] <= frame || words[0] > end || words[0] % sizeof(void*) != 0) break;
    frame = words[0];
  }
}

}  // namespace

CallPath callPath(const Fiber& fiber) {
  CallPath path{};
  follow(fiber, reinterpret_cast<uintptr_t>(__builtin_frame_address(0)), path, 0);
  return path;
}

CallPath callPathAt(const Fiber& fiber, uintptr_t address, uintptr_t stack, uintptr_t frame) {
  const auto begin = reinterpret_cast<uintptr_t>(fiber.stack);
  const auto isOnStack = [&](uintptr_t place) {
    return place > begin && place < begin + fiber.stackBytes - 2 * sizeof(void*) && place % sizeof(void*) == 0;
  };
  // readers take addresses as those that calls return to, and look at the instruction before
  CallPath path{reinterpret_cast<const void*>(address + 1)};
  size_t length = 1;
  // a jump to another library has no frame of its own: where it returns to is what was pushed last
  if (isOnStack(stack)) {
    const uintptr_t last = *reinterpret_cast<const uintptr_t*>(stack);
    if (kernelCode[0].contains(last) || kernelCode[1].contains(last))
      path[length++] = reinterpret_cast<const void*>(last);
  }
  if (isOnStack(frame)) follow(fiber, frame, path, length);
  return path;
}

}  // namespace npu_emu
