#include "core_context.h"

#include <sys/mman.h>

#include <new>

#include "ascendc/architecture.h"

namespace npu_emu {

CoreContext::CoreContext() {
  using namespace architecture;
  capacity = {ubBytes, l1Bytes, l0aBytes, l0bBytes, l0cBytes, biasTableBytes, fixpipeBytes};
  shadow = std::make_unique<LocalShadow>(capacity);
  constexpr size_t gap = 64 * 1024;  // untouched pages between memories catch what slips through raw pointers
  for (uint32_t bytes : capacity) areaBytes_ += bytes + gap;
  void* mapped = mmap(nullptr, areaBytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  area_ = static_cast<uint8_t*>(mapped);
  uint8_t* next = area_;
  for (size_t i = 0; i < memoryCount; ++i) {
    memory[i] = next;
    next += capacity[i] + gap;
  }
  createFiber(fiber);
}

CoreContext::~CoreContext() {
  destroyFiber(fiber);
  munmap(area_, areaBytes_);
}

CoreContext* CoreContexts::take() {
  if (idle_.empty()) {
    all_.push_back(std::make_unique<CoreContext>());
    idle_.push_back(all_.back().get());
  }
  CoreContext* context = idle_.back();
  idle_.pop_back();
  return context;
}

}  // namespace npu_emu
