// What code of a kernel calls, because its compiler is told so (plugin/toolchain/flags.ts): before each load and store of
// more than a local variable, and at the start of each basic block. Loads and stores of device memory become scalar
// accesses of the device; blocks are charged to its scalar unit by the length of their code.
#include "raw_access.h"

#include <link.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "code_blocks.h"
#include "costs.h"
#include "device.h"
#include "dry_run.h"
#include "instruction_stream.h"
#include "issue.h"

namespace npu_emu {

namespace {

// Unoptimised code of the host for what the scalar unit does in a cycle.
constexpr uint64_t codeBytesPerCycle = 10;

// ---- whose memory it is --------------------------------------------------------------------------------------------

bool isOfDevice(const uint8_t* address) {
  Memory memory;
  if (localMemoryAt(address, memory)) return true;
  const GmRegion* region = regionAt(address);
  return region != nullptr && region->use != GmRegion::Constants;
}

struct Range {
  uintptr_t begin, end;
};

// What is loaded of the library that the kernel is in.
std::vector<Range> loadedWith(uintptr_t kernel) {
  struct Search {
    uintptr_t kernel;
    std::vector<Range> found;
  } search{kernel, {}};
  const auto visit = [](dl_phdr_info* info, size_t, void* data) {
    auto& [wanted, found] = *static_cast<Search*>(data);
    bool hasKernel = false;
    found.clear();
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = info->dlpi_phdr[i];
      if (header.p_type != PT_LOAD) continue;
      const uintptr_t begin = info->dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
      hasKernel |= wanted >= begin && wanted < end;
      found.push_back({begin, end});
    }
    return hasKernel ? 1 : 0;
  };
  return dl_iterate_phdr(visit, &search) != 0 ? search.found : std::vector<Range>();
}

// Whether it is part of that library. Those of the emulator would tell it what it has run before.
bool isInLibrary(const KernelEntry& kernel, const uint8_t* address, size_t bytes) {
  // a process has the kernels of two libraries at most, and keeps them
  static std::map<uintptr_t, std::vector<Range>> known;
  const auto entry = reinterpret_cast<uintptr_t>(kernel.call), begin = reinterpret_cast<uintptr_t>(address);
  auto place = known.find(entry);
  if (place == known.end()) place = known.emplace(entry, loadedWith(entry)).first;
  return std::any_of(place->second.begin(), place->second.end(),
                     [&](const Range& range) { return begin >= range.begin && begin + bytes <= range.end; });
}

// Constants, variables that each core has for itself, and the addresses that the kernel is called with: the device has no
// part in them.
bool isOfKernel(const uint8_t* address, size_t bytes, bool isStore) {
  const KernelEntry& kernel = core->isCube ? device.request->aic : device.request->aiv;
  if (isWithin(address, bytes, kernel.variables.data, kernel.variables.bytes)) return true;
  const std::vector<uint8_t*>& args = device.request->args;
  if (!isStore && isWithin(address, bytes, reinterpret_cast<const uint8_t*>(args.data()), args.size() * sizeof args[0]))
    return true;
  return !isStore && isInLibrary(kernel, address, bytes);
}

// Whether a store can be made before the device is told of it.
bool canStore(const uint8_t* address, size_t bytes) {
  Memory memory;
  if (localMemoryAt(address, memory)) {
    if (!core->isCube && memory != Memory::UB) return false;
    const auto index = static_cast<size_t>(memory);
    return isWithin(address, bytes, core->memory[index], core->capacity[index]);
  }
  const GmRegion* region = regionAt(address);
  return region != nullptr && region->access != Access::In &&
         isWithin(address, bytes, region->base, paddedBytes(*region));
}

// ---- scalar accesses -----------------------------------------------------------------------------------------------

// Calls f(offset, bytes) for each word that the scalar unit loads or stores.
template <typename F>
void forEachWord(size_t bytes, F f) {
  constexpr size_t wordBytes = 8;
  for (size_t done = 0; done < bytes; done += wordBytes)
    f(done, static_cast<uint32_t>(std::min(wordBytes, bytes - done)));
}

// A tensor that begins at the address. Vector cores have no other memory than UB.
Operand operandAt(uint8_t* address, Memory memory) {
  if (!core->isCube) memory = Memory::UB;
  constexpr TPosition positions[] = {TPosition::VECCALC, TPosition::A1, TPosition::A2,       TPosition::B2,
                                     TPosition::CO1,     TPosition::C2, TPosition::C2PIPE2GM};
  return {address, 0, positions[static_cast<size_t>(memory)]};
}

void load(uint8_t* address, size_t bytes) {
  Memory memory;
  const bool isLocal = localMemoryAt(address, memory);
  forEachWord(bytes, [&](size_t offset, uint32_t part) {
    if (isLocal) scalarRead(operandAt(address + offset, memory), part);
    else scalarReadGm(address + offset, part);
  });
}

void store(uint8_t* address, const uint8_t* values, size_t bytes) {
  Memory memory;
  const bool isLocal = localMemoryAt(address, memory);
  forEachWord(bytes, [&](size_t offset, uint32_t part) {
    uint64_t bits = 0;
    if (values != nullptr) std::memcpy(&bits, values + offset, part);
    if (isLocal) scalarWrite(operandAt(address + offset, memory), bits, part);
    else scalarWriteGm(address + offset, bits, part);
  });
}

// ---- what is reported ----------------------------------------------------------------------------------------------

void tellStore();

[[gnu::noinline]] void reportedElsewhere(uint8_t* address, size_t bytes, bool isStore) {
  if (bytes == 0) return;
  if (!isOfDevice(address) && isOfKernel(address, bytes, isStore)) {
    // a table of constants is in the data cache at best
    if (!isStore) core->reported.code += cachedCycles * codeBytesPerCycle * ((bytes + 7) / 8);
    return;
  }
  tellStore();
  // what ends the launch has to end it before the access is made
  if (isStore ? !canStore(address, bytes) : !isOfDevice(address)) needComputed();
  if (!isStore) return load(address, bytes);
  if (!canStore(address, bytes)) return store(address, nullptr, bytes);  // which ends the launch
  core->reported.isStore = true;
  core->reported.address = address;
  core->reported.before.assign(address, address + bytes);
  core->reported.where = callPath(core->fiber);
}

// Code that runs while its library is loaded has no core.
bool isOnStack(const void* address, size_t bytes) {
  return core == nullptr ||
         isWithin(static_cast<const uint8_t*>(address), bytes, core->fiber.stack, core->fiber.stackBytes);
}

inline void reported(void* address, size_t bytes, bool isStore) {
  if (isOnStack(address, bytes)) [[likely]]
    return;
  reportedElsewhere(static_cast<uint8_t*>(address), bytes, isStore);
}

// What compilers leave to a call or to one instruction of the host, however many bytes it copies, fills or compares: the scalar
// unit takes a cycle to load 8 of them, and one to store them. Few bytes count as the code that a compiler writes out for them.
constexpr size_t writtenOut = 128;

void countWords(size_t bytes, uint64_t cyclesOfWord) {
  if (core == nullptr) return;
  constexpr size_t wordBytes = 8;
  const size_t words = bytes <= writtenOut ? 0 : (bytes - writtenOut + wordBytes - 1) / wordBytes;
  core->reported.code += std::min(bytes, writtenOut) + words * cyclesOfWord * codeBytesPerCycle;
}

// Compilers report nothing of a call that copies or fills: the bytes are at hand, and it is done when it returns.
void storeAll(void* to, const uint8_t* values, size_t bytes) {
  auto* address = static_cast<uint8_t*>(to);
  if (bytes == 0) return;
  if (isOnStack(address, bytes) || (!isOfDevice(address) && isOfKernel(address, bytes, true))) {
    std::memcpy(address, values, bytes);
    return;
  }
  tellStore();
  store(address, values, bytes);
}

void copyAll(void* to, const void* from, size_t bytes) {
  auto* source = static_cast<uint8_t*>(const_cast<void*>(from));
  static std::vector<uint8_t> values;
  countWords(bytes, 2);
  reported(source, bytes, false);
  values.assign(source, source + bytes);
  storeAll(to, values.data(), bytes);
}

// Tells the device of a store that has been made by now. The device finds memory as it was, and then stores what is there.
void tellStore() {
  Reported& all = core->reported;
  if (!all.isStore) return;
  all.isStore = false;
  static std::vector<uint8_t> after;
  after.assign(all.address, all.address + all.before.size());
  std::memcpy(all.address, all.before.data(), all.before.size());
  setIssuedFrom(&all.where);
  store(all.address, after.data(), after.size());
  setIssuedFrom(nullptr);
}

uint32_t tellReported() {
  tellStore();
  Reported& all = core->reported;
  const uint64_t cycles = std::min<uint64_t>(all.code / codeBytesPerCycle, UINT32_MAX);
  all.code -= cycles * codeBytesPerCycle;
  // the counter of the core is read here, and goes on with its code
  core->uncoveredCode += static_cast<int64_t>(cycles);
  return static_cast<uint32_t>(cycles);
}

[[maybe_unused]] const bool isTold = (setBeforeRecords(tellReported), true);

// Reads tiling data, line after line, each of which is waited for where the core has not read it yet: documented to take
// microseconds where there are many. Kernels that a launch was measured with read a few of them. In pieces it is as much.
void readTiling(uint64_t begin, uint64_t bytes) {
  constexpr uint64_t linesOfLaunch = 4;
  if (bytes == 0) return;
  Reported& all = core->reported;
  const uint64_t first = begin / cacheLineBytes, end = (begin + bytes - 1) / cacheLineBytes + 1;
  if (all.tilingLines.size() < end) all.tilingLines.resize(end);
  uint64_t cycles = 0;
  for (uint64_t line = first; line < end; ++line) {
    if (all.tilingLines[line]) continue;
    all.tilingLines[line] = true;
    if (++all.tilingLinesRead > linesOfLaunch) cycles += missCycles;
  }
  if (cycles != 0) scalarWork(static_cast<uint32_t>(std::min<uint64_t>(cycles, UINT32_MAX)));
}

}  // namespace

}  // namespace npu_emu

void npu_emu::copyTiling(void* to, const void* from, uint64_t bytes) {
  const GmRegion* region = regionAt(static_cast<const uint8_t*>(from));
  const bool isPrologue = isOnStack(to, bytes) && region != nullptr && region->use == GmRegion::Tiling &&
                          isWithin(static_cast<const uint8_t*>(from), bytes, region->base, paddedBytes(*region));
  if (!isPrologue) return copyAll(to, from, bytes);
  core->reported.code += bytes;
  std::memcpy(to, from, bytes);
  readTiling(static_cast<uint64_t>(static_cast<const uint8_t*>(from) - region->base), bytes);
}

using namespace npu_emu;

// ---- the names that compilers know ---------------------------------------------------------------------------------

// No header declares them.
#pragma GCC diagnostic ignored "-Wmissing-declarations"

extern "C" {

// clang reports to its sanitizer of addresses, as kernels of operating systems have it.
#define NPU_EMU_REPORTS(bytes)                                                          \
  void __asan_load##bytes##_noabort(void* address) { reported(address, bytes, false); } \
  void __asan_store##bytes##_noabort(void* address) { reported(address, bytes, true); }
NPU_EMU_REPORTS(1)
NPU_EMU_REPORTS(2)
NPU_EMU_REPORTS(4)
NPU_EMU_REPORTS(8)
NPU_EMU_REPORTS(16)
#undef NPU_EMU_REPORTS
void __asan_loadN_noabort(void* address, size_t bytes) {
  // a struct that is passed by value: one instruction copies it
  if (bytes > writtenOut) countWords(bytes, 2);
  reported(address, bytes, false);
}
void __asan_storeN_noabort(void* address, size_t bytes) { reported(address, bytes, true); }
void __asan_handle_no_return() {}

// g++ reports to its sanitizer of threads.
#define NPU_EMU_REPORTS(bytes)                                                          \
  void __tsan_read##bytes(void* address) { reported(address, bytes, false); }           \
  void __tsan_write##bytes(void* address) { reported(address, bytes, true); }           \
  void __tsan_unaligned_read##bytes(void* address) { reported(address, bytes, false); } \
  void __tsan_unaligned_write##bytes(void* address) { reported(address, bytes, true); }
NPU_EMU_REPORTS(1)
NPU_EMU_REPORTS(2)
NPU_EMU_REPORTS(4)
NPU_EMU_REPORTS(8)
NPU_EMU_REPORTS(16)
#undef NPU_EMU_REPORTS
void __tsan_read_range(void* address, size_t bytes) { reported(address, bytes, false); }
void __tsan_write_range(void* address, size_t bytes) { reported(address, bytes, true); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

// Neither reports of calls that copy or fill: the linker has them come here.
void* __wrap_memcpy(void* to, const void* from, size_t bytes) {
  copyAll(to, from, bytes);
  return to;
}
void* __wrap_memmove(void* to, const void* from, size_t bytes) {
  copyAll(to, from, bytes);
  return to;
}
void* __wrap_memset(void* to, int value, size_t bytes) {
  static std::vector<uint8_t> values;
  countWords(bytes, 1);
  values.assign(bytes, static_cast<uint8_t>(value));
  storeAll(to, values.data(), bytes);
  return to;
}
int __wrap_memcmp(const void* one, const void* other, size_t bytes) {
  countWords(bytes, 2);
  reported(const_cast<void*>(one), bytes, false);
  reported(const_cast<void*>(other), bytes, false);
  return std::memcmp(one, other, bytes);
}

// Both, at the start of each basic block.
void __sanitizer_cov_trace_pc() {
  if (core == nullptr) return;
  // an array of variable length can move the stack to where variables are tensors, which nobody reports
  if (!isOnStack(__builtin_frame_address(0), 1))
    trap({Check::Unsupported, "kernel", "the stack has left its memory",
          "give arrays on the stack a constant length, of some kilobytes at most"});
  core->reported.code += codeBytesFrom(__builtin_return_address(0));
}
}
