#include "core_context.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <utility>

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
  if (!std::exchange(isUsed_, true)) return;
  // what the core before has written throughout the next one will write as well: filling it costs less than faults of its pages
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t filled = (shadow->valid.endOfMostlyValid() + page - 1) / page * page;
  std::memset(memory[ubIndex], leftover, filled);
  uint8_t* rest = memory[ubIndex] + filled;
  if (madvise(rest, static_cast<size_t>(area_ + areaBytes_ - rest), MADV_DONTNEED) != 0) throw std::bad_alloc();
}

CoreContext::~CoreContext() {
  destroyFiber(fiber);
  munmap(area_, areaBytes_);
}

void CoreContexts::draw(SplitMix64& chance, size_t most) {
  if (most > all_.size()) {
    all_.resize(most);
    isTaken_.resize(most);
  }
  order_.resize(most);
  std::iota(order_.begin(), order_.end(), size_t(0));
  chance.shuffle(order_);
}

CoreContext* CoreContexts::take(SplitMix64& chance) {
  constexpr size_t few = 4;
  std::vector<size_t> free;
  for (size_t i = 0; i < order_.size() && free.size() < few; ++i)
    if (!isTaken_[order_[i]]) free.push_back(order_[i]);
  const size_t number = free.at(chance.below(free.size()));
  if (all_[number] == nullptr) all_[number] = std::make_unique<CoreContext>(number);
  isTaken_[number] = true;
  return all_[number].get();
}

void CoreContexts::giveBack(CoreContext* context) {
  const auto is = [&](const auto& each) { return each.get() == context; };
  isTaken_[static_cast<size_t>(std::find_if(all_.begin(), all_.end(), is) - all_.begin())] = false;
}

}  // namespace npu_emu
