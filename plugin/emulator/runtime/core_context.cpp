#include "core_context.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#include "ascendc/architecture.h"
#include "device_memory.h"

namespace npu_emu {

CoreContext::CoreContext(size_t number) {
  using namespace architecture;
  capacity = {ubBytes, l1Bytes, l0aBytes, l0bBytes, l0cBytes, biasTableBytes, fixpipeBytes};
  shadow = std::make_unique<LocalShadow>(capacity);
  constexpr size_t gap = 64 * 1024;  // untouched pages between memories catch what slips through raw pointers
  for (uint32_t bytes : capacity) areaBytes_ += bytes + gap;
  constexpr uintptr_t distance = 4 << 20;
  if (areaBytes_ > distance || localMemoryBegin + (number + 1) * distance > stagingMemoryBegin) throw std::bad_alloc();
  area_ = mapDeviceMemory(localMemoryBegin + number * distance, areaBytes_);
  constexpr int copied = MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE;
  if (area_ == nullptr || areaBytes_ > leftoversBytes ||
      mmap(area_, areaBytes_, PROT_READ | PROT_WRITE, copied, templateFd, leftoversOffset) == MAP_FAILED)
    throw std::bad_alloc();
  uint8_t* next = area_;
  for (size_t i = 0; i < memoryCount; ++i) {
    memory[i] = next;
    next += capacity[i] + gap;
  }
  createFiber(fiber);
}

void CoreContext::setAccessible(bool isAccessible) {
  if (isAccessible == isAccessible_) return;
  if (mprotect(area_, areaBytes_, isAccessible ? PROT_READ | PROT_WRITE : PROT_NONE) != 0) throw std::bad_alloc();
  isAccessible_ = isAccessible;
}

void CoreContext::resetMemories() {
  if (isUsed_ && madvise(area_, areaBytes_, MADV_DONTNEED) != 0) throw std::bad_alloc();
  isUsed_ = true;
}

CoreContext::~CoreContext() {
  destroyFiber(fiber);
  munmap(area_, areaBytes_);
}

CoreContext* CoreContexts::take() {
  return take(static_cast<size_t>(std::find(isTaken_.begin(), isTaken_.end(), false) - isTaken_.begin()));
}

CoreContext* CoreContexts::takeAny(SplitMix64& chance, size_t limit) {
  std::vector<size_t> left;
  for (size_t number = 0; number < limit; ++number)
    if (number >= isTaken_.size() || !isTaken_[number]) left.push_back(number);
  return left.empty() ? take() : take(left[chance.below(left.size())]);
}

CoreContext* CoreContexts::take(size_t number) {
  if (number >= all_.size()) {
    all_.resize(number + 1);
    isTaken_.resize(number + 1);
  }
  if (all_[number] == nullptr) all_[number] = std::make_unique<CoreContext>(number);
  isTaken_[number] = true;
  return all_[number].get();
}

void CoreContexts::giveBack(CoreContext* context) {
  const auto is = [&](const auto& each) { return each.get() == context; };
  isTaken_[static_cast<size_t>(std::find_if(all_.begin(), all_.end(), is) - all_.begin())] = false;
}

}  // namespace npu_emu
