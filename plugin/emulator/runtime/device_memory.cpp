#include "device_memory.h"

#include <sys/mman.h>

namespace npu_emu {

uint8_t* mapDeviceMemory(uintptr_t address, size_t bytes) {
  auto* wanted = reinterpret_cast<uint8_t*>(address);
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* mapped = mmap(wanted, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
  if (mapped == wanted) return wanted;
  // systems that do not know the flag take the address for a wish
  if (mapped != MAP_FAILED) munmap(mapped, bytes);
  return nullptr;
}

}  // namespace npu_emu
