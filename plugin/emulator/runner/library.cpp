#include "library.h"

#include <algorithm>
#include <cstring>

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

// What compiled code calls for a thread-local variable of a library: no header declares it.
struct ThreadLocal {
  size_t module, offset;
};
extern "C" void* __tls_get_addr(ThreadLocal*);

namespace npu_runner {

namespace {

constexpr size_t maxStaticBytes = 256u << 20;

}  // namespace

struct Library::Layout {
  uintptr_t base;
  bool found = false;
  std::vector<std::pair<uintptr_t, uintptr_t>> loaded, writable, constants;
  uintptr_t readOnlyBegin = 0, readOnlyEnd = 0;  // writable while loading only
  const uint8_t* threadImage = nullptr;
  size_t threadImageBytes = 0, threadBytes = 0;
  uint8_t* threadData = nullptr;  // nullptr until this thread has touched it
};

Library::Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) throw Rejected{std::string("the library cannot be loaded: ") + dlerror()};
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map_) != 0 || map_ == nullptr)
    throw Rejected{std::string("the library cannot be inspected: ") + dlerror()};
  base_ = map_->l_addr;
  begin_ = UINTPTR_MAX;
  for (const auto& [begin, end] : layout().loaded) {
    begin_ = std::min(begin_, begin);
    end_ = std::max(end_, end);
  }
}

void* Library::symbol(const char* name) const { return dlsym(handle_, name); }

Library::Layout Library::layout() const {
  Layout layout{};
  layout.base = base_;
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& out = *static_cast<Layout*>(data);
    if (info->dlpi_addr != out.base) return 0;
    out.found = true;
    const auto page = static_cast<uintptr_t>(getpagesize());
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
      const uintptr_t end = begin + header.p_memsz;
      if (header.p_type == PT_LOAD) {
        out.loaded.emplace_back(begin, end);
        if (header.p_flags & PF_W) out.writable.emplace_back(begin, end);
        else if (!(header.p_flags & PF_X)) out.constants.emplace_back(begin, end);
      } else if (header.p_type == PT_GNU_RELRO) {
        out.readOnlyBegin = begin / page * page;
        out.readOnlyEnd = end / page * page;
      } else if (header.p_type == PT_TLS) {
        out.threadImage = reinterpret_cast<const uint8_t*>(begin);
        out.threadImageBytes = header.p_filesz;
        out.threadBytes = header.p_memsz;
        out.threadData = static_cast<uint8_t*>(info->dlpi_tls_data);
      }
    }
    return 1;
  };
  dl_iterate_phdr(visit, &layout);
  return layout;
}

void Library::snapshot() {
  const Layout now = layout();
  size_t total = 0;
  const auto keep = [&](uintptr_t begin, uintptr_t end) {
    if (begin >= end) return;
    total += end - begin;
    if (total > maxStaticBytes) throw Rejected{"the library has more than 256 MiB of static data"};
    auto* address = reinterpret_cast<uint8_t*>(begin);
    segments_.push_back({address, std::vector<uint8_t>(address, address + (end - begin))});
  };
  for (const auto& [begin, end] : now.writable) {
    keep(begin, std::min(end, std::max(begin, now.readOnlyBegin)));
    keep(std::max(begin, std::min(end, now.readOnlyEnd)), end);
  }
  threadData_.size = now.threadBytes;
  if (now.threadData != nullptr) {
    threadData_.content.assign(now.threadData, now.threadData + now.threadBytes);
  } else if (now.threadBytes != 0) {
    threadData_.content.assign(now.threadImage, now.threadImage + now.threadImageBytes);
    threadData_.content.resize(now.threadBytes, 0);
  }
}

void Library::restore() const {
  for (const Segment& segment : segments_) std::memcpy(segment.address, segment.content.data(), segment.content.size());
  if (threadData_.size == 0) return;
  if (uint8_t* data = layout().threadData) std::memcpy(data, threadData_.content.data(), threadData_.size);
}

npu_emu::CoreVariables Library::variables() const {
  if (threadData_.size == 0) return {};
  ThreadLocal first{0, 0};
  if (dlinfo(handle_, RTLD_DI_TLS_MODID, &first.module) != 0)
    throw Rejected{"the variables of the cores cannot be found"};
  return {static_cast<uint8_t*>(__tls_get_addr(&first)), threadData_.content.data(), threadData_.size};
}

void Library::addConstants(std::vector<npu_emu::GmRegion>& regions) const {
  for (const auto& [begin, end] : layout().constants)
    regions.push_back({reinterpret_cast<uint8_t*>(begin), end - begin, npu_emu::Access::In,
                       "the constants of the kernel", npu_emu::GmRegion::Constants});
}

bool Library::contains(const void* address) const {
  const auto value = reinterpret_cast<uintptr_t>(address);
  return value >= begin_ && value < end_;
}

}  // namespace npu_runner
