#include "host_blocks.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

namespace npu_emu::host {

namespace {

constexpr size_t wordBits = 64;

// The library of the host part, with a bit for each byte of its code: a request reaches few pages of them.
struct Notes {
  uintptr_t begin = 0;
  size_t bytes = 0;
  uint64_t* reached = nullptr;  // never freed: code of the library runs as long as the process
};
Notes notes;

// How far the code of a library extends that is mapped from an address on.
size_t extentOf(const uint8_t* base) {
  const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
  const auto* segments = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
  size_t end = 0;
  for (size_t i = 0; i < header->e_phnum; ++i)
    if ((segments[i].p_flags & PF_X) != 0) end = std::max<size_t>(end, segments[i].p_vaddr + segments[i].p_memsz);
  return end;
}

// The first block that runs says which library it is: that may be before anybody has a handle of it.
[[gnu::noinline]] void meet(const void* returnAddress) {
  if (notes.bytes != 0) return;
  Dl_info library;
  if (dladdr(returnAddress, &library) == 0) return;
  const size_t bytes = extentOf(static_cast<const uint8_t*>(library.dli_fbase));
  notes.reached = static_cast<uint64_t*>(std::calloc(bytes / wordBits + 1, sizeof(uint64_t)));
  if (notes.reached == nullptr) return;
  notes.begin = reinterpret_cast<uintptr_t>(library.dli_fbase);
  notes.bytes = bytes;
}

}  // namespace

std::vector<uint64_t> reachedBlocks() {
  std::vector<uint64_t> offsets;
  for (size_t i = 0; i * wordBits < notes.bytes; ++i)
    for (uint64_t left = notes.reached[i]; left != 0; left &= left - 1)
      offsets.push_back(i * wordBits + static_cast<size_t>(__builtin_ctzll(left)));
  return offsets;
}

void forgetReachedBlocks() { std::fill_n(notes.reached, (notes.bytes + wordBits - 1) / wordBits, 0); }

}  // namespace npu_emu::host

// What a host part calls at the start of each basic block in the place of `__sanitizer_cov_trace_pc`, which is for kernels.
extern "C" void __wrap___sanitizer_cov_trace_pc() {
  using npu_emu::host::notes, npu_emu::host::wordBits;
  const void* at = __builtin_return_address(0);
  if (reinterpret_cast<uintptr_t>(at) - notes.begin >= notes.bytes) [[unlikely]] {
    npu_emu::host::meet(at);
    if (reinterpret_cast<uintptr_t>(at) - notes.begin >= notes.bytes) return;
  }
  const size_t offset = reinterpret_cast<uintptr_t>(at) - notes.begin;
  notes.reached[offset / wordBits] |= uint64_t(1) << offset % wordBits;
}
