#include "redirect_calls.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <unordered_map>

#include "api_calls.h"
#include "library.h"

namespace npu_runner {

namespace {

#if defined(__x86_64__)
constexpr uint32_t addressTypes[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#elif defined(__aarch64__)
constexpr uint32_t addressTypes[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#endif

const std::unordered_map<const void*, const void*>& offered() {
  static const std::unordered_map<const void*, const void*> all = [] {
    std::unordered_map<const void*, const void*> calls;
    for (const npu_emu::ApiCall& call : npu_emu::apiCalls()) calls.emplace(call.function, call.issued);
    return calls;
  }();
  return all;
}

// What the dynamic section says. The loader has turned offsets into addresses in some entries, and in some systems.
class Dynamic {
 public:
  explicit Dynamic(const link_map& library) : base_(library.l_addr), entries_(library.l_ld) {}
  uint64_t value(int64_t tag) const {
    for (const ElfW(Dyn)* entry = entries_; entry->d_tag != DT_NULL; ++entry)
      if (entry->d_tag == tag) return entry->d_un.d_val;
    return 0;
  }
  template <typename T>
  const T* at(int64_t tag) const {
    const uint64_t address = value(tag);
    return address == 0 ? nullptr : reinterpret_cast<const T*>(address < base_ ? address + base_ : address);
  }

 private:
  uint64_t base_;
  const ElfW(Dyn) * entries_;
};

bool holdsAddress(uint32_t type) {
  for (const uint32_t each : addressTypes)
    if (type == each) return true;
  return false;
}

// The page may be read-only since the library was loaded.
void store(const void** slot, const void* value) {
  const auto page = static_cast<uintptr_t>(getpagesize());
  auto* begin = reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(slot) / page * page);
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
    throw Rejected{"the calls of the kernel cannot be redirected"};
  *slot = value;
}

bool isFunctionOfRuntime(const void* address) {
  static const void* const runtime = [] {
    Dl_info info{};
    dladdr(reinterpret_cast<const void*>(&npu_emu::apiCalls), &info);
    return info.dli_fbase;
  }();
  Dl_info info{};
  void* symbol = nullptr;
  if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 || info.dli_fbase != runtime) return false;
  return symbol == nullptr || ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(symbol)->st_info) == STT_FUNC;
}

void redirect(const link_map& library, const Dynamic& dynamic, const ElfW(Rela) * entries, uint64_t bytes,
              bool isOfCandidate) {
  const auto* symbols = dynamic.at<ElfW(Sym)>(DT_SYMTAB);
  const auto* names = dynamic.at<char>(DT_STRTAB);
  for (uint64_t i = 0; entries != nullptr && i < bytes / sizeof *entries; ++i) {
    const ElfW(Rela)& entry = entries[i];
    if (!holdsAddress(static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info))) || entry.r_addend != 0) continue;
    const ElfW(Sym)& symbol = symbols[ELF64_R_SYM(entry.r_info)];
    if (symbol.st_shndx != SHN_UNDEF) continue;
    const auto** slot = reinterpret_cast<const void**>(library.l_addr + entry.r_offset);
    const auto found = offered().find(*slot);
    if (found != offered().end()) {
      if (found->second != *slot) store(slot, found->second);
    } else if (isOfCandidate && *slot != nullptr && isFunctionOfRuntime(*slot)) {
      throw Rejected{std::string("the kernel calls ") + (names + symbol.st_name) + ", which is not for kernels"};
    }
  }
}

}  // namespace

void redirectCalls(const link_map& library, bool isOfCandidate) {
  const Dynamic dynamic(library);
  redirect(library, dynamic, dynamic.at<ElfW(Rela)>(DT_JMPREL), dynamic.value(DT_PLTRELSZ), isOfCandidate);
  redirect(library, dynamic, dynamic.at<ElfW(Rela)>(DT_RELA), dynamic.value(DT_RELASZ), isOfCandidate);
}

const link_map& libraryOfKernels() {
  void* handle = dlopen("libnpu_kernel.so", RTLD_NOW | RTLD_NOLOAD);
  link_map* map = nullptr;
  if (handle == nullptr || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) throw Rejected{"libnpu_kernel.so is not loaded"};
  return *map;
}

}  // namespace npu_runner
