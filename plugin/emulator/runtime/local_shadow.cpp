#include "local_shadow.h"

#include <sys/mman.h>

#include <new>

namespace npu_emu {

// Pages of the area that no history touches are never backed by memory.
LocalShadow::LocalShadow(const std::array<uint32_t, memoryCount>& capacity)
    : valid(capacity[ubIndex]), unusedLoads(capacity[ubIndex]) {
  size_t words = 0;
  for (uint32_t bytes : capacity) words += AccessHistory::wordsFor(bytes);
  areaBytes_ = words * pipeCount * 2 * sizeof(uint32_t);
  area_ = mmap(nullptr, areaBytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area_ == MAP_FAILED) throw std::bad_alloc();
  auto* next = static_cast<uint32_t*>(area_);
  for (size_t memory = 0; memory < memoryCount; ++memory)
    for (size_t pipe = 0; pipe < pipeCount; ++pipe)
      for (auto* histories : {&writes, &reads}) next = (*histories)[memory][pipe].place(next, capacity[memory]);
}

LocalShadow::~LocalShadow() { munmap(area_, areaBytes_); }

void LocalShadow::restart() {
  madvise(area_, areaBytes_, MADV_DONTNEED);  // reads as zero from here on
  issued = {};
  newestWrites = newestReads = {};
  for (auto* histories : {&writes, &reads})
    for (auto& ofMemory : *histories)
      for (AccessHistory& history : ofMemory) history.clear();
}

}  // namespace npu_emu
