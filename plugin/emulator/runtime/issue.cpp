#include "issue.h"

#include <algorithm>
#include <cstring>

#include "device.h"
#include "overdue.h"

namespace npu_emu {

namespace {

// The ways out of checkLocal stay out of it: it is passed for every operand.
[[noreturn, gnu::noinline]] void outOfBounds(const char* instruction, const Extent& extent, Memory memory,
                                             const Buffer& buffer) {
  const uint8_t* base = core->memory[static_cast<size_t>(memory)];
  const uint8_t* lower = buffer.base != nullptr ? buffer.base : base;
  const uint32_t capacity = core->capacity[static_cast<size_t>(memory)];
  uint32_t size = buffer.base != nullptr ? buffer.bytes : capacity;
  if (lower + size > base + capacity && extent.operand.address + extent.bytes <= lower + size) {
    trap({extent.write ? Check::ErrorWrite2 : Check::ErrorRead3, instruction,
          text("%s ends at %s 0x%tx, but %s ends at 0x%x: its buffer of %u bytes does not fit", extent.role,
               nameOf(memory), extent.operand.address - base + static_cast<ptrdiff_t>(extent.bytes), nameOf(memory),
               capacity, size),
          "make the buffers smaller; GetCoreMemSize tells the tiling function how much memory there is"});
  }
  trap({extent.write ? Check::ErrorWrite2 : Check::ErrorRead3, instruction,
        text("%s touches bytes %td..%td of a buffer of %u bytes (%s 0x%tx)", extent.role,
             extent.operand.address - lower, extent.operand.address - lower + static_cast<ptrdiff_t>(extent.bytes) - 1,
             size, nameOf(memory), lower - base),
        "check the count against the length given to InitBuffer, and the tail of the last tile"});
}

[[noreturn, gnu::noinline]] void withoutMemory(const char* instruction, const Extent& extent) {
  trap({Check::ErrorBuffer3, instruction, text("%s is a tensor without memory", extent.role),
        "take the tensor from AllocTensor, DeQue or TBuf::Get"});
}

[[noreturn, gnu::noinline]] void inWrongMemory(const char* instruction, const Extent& extent, Memory memory,
                                               Memory expected) {
  trap({Check::ErrorBuffer3, instruction,
        text("%s is in %s (%s), the instruction works on %s", extent.role, nameOf(memory),
             nameOf(extent.operand.position), nameOf(expected)),
        "use a queue or buffer of the right TPosition"});
}

[[noreturn, gnu::noinline]] void misaligned(const char* instruction, const Extent& extent, Memory memory,
                                            ptrdiff_t offset) {
  trap({extent.write ? Check::ErrorWrite4 : Check::ErrorRead4, instruction,
        text("%s starts at %s 0x%tx, which is not a multiple of %u bytes", extent.role, nameOf(memory), offset,
             extent.alignment),
        "start tensors at multiples of 32 bytes; shift the data or copy through an aligned buffer"});
}

[[gnu::noinline]] void checkState(const char* instruction, const Extent& extent, const Buffer& buffer) {
  if (buffer.state == BufferState::Free && buffer.everFreed) {
    report({extent.write ? Check::ErrorWrite1 : Check::ErrorRead1, instruction,
            text("%s uses a tensor after FreeTensor", extent.role), "free the tensor after its last use"});
  } else if (buffer.state == BufferState::Queued) {
    report({Check::ErrorBuffer2, instruction, text("%s uses a tensor that is still in its queue", extent.role),
            "take the tensor out with DeQue first"});
  }
}

}  // namespace

bool localMemoryAt(const uint8_t* address, Memory& memory) {
  for (size_t i = 0; i < memoryCount; ++i) {
    if (address >= core->memory[i] && address < core->memory[i] + core->capacity[i]) {
      memory = static_cast<Memory>(i);
      return true;
    }
  }
  return false;
}

const Buffer& bufferOf(const Operand& operand) {
  if (operand.buffer != 0 && operand.buffer < core->buffers.size()) return core->buffers[operand.buffer];
  for (const Buffer& buffer : core->buffers)
    if (buffer.base != nullptr && operand.address >= buffer.base && operand.address < buffer.base + buffer.bytes)
      return buffer;
  return core->buffers[0];
}

void checkLocal(const char* instruction, const Extent& extent, Memory expected) {
  if (extent.bytes == 0) return;
  const Buffer& buffer = bufferOf(extent.operand);
  const uint8_t* address = extent.operand.address;
  Memory memory = expected;
  if (buffer.base != nullptr) {
    memory = buffer.memory;
  } else if (address == nullptr || !localMemoryAt(address, memory)) {
    withoutMemory(instruction, extent);
  }
  if (memory != expected) inWrongMemory(instruction, extent, memory, expected);
  const uint8_t* base = core->memory[static_cast<size_t>(memory)];
  uint64_t capacity = core->capacity[static_cast<size_t>(memory)];
  bool inBuffer =
      buffer.base == nullptr || (address >= buffer.base && address + extent.bytes <= buffer.base + buffer.bytes);
  if (!inBuffer || address < base || address + extent.bytes > base + capacity)
    outOfBounds(instruction, extent, memory, buffer);
  if ((address - base) % extent.alignment != 0) misaligned(instruction, extent, memory, address - base);
  if (buffer.queue != 0 && (buffer.state == BufferState::Free || buffer.state == BufferState::Queued))
    checkState(instruction, extent, buffer);
  core->hazards.local(instruction, {static_cast<uint8_t>(memory), extent.write, static_cast<uint32_t>(address - base),
                                    extent.bytes.runs, extent.role});
}

void checkReservedArea(const char* instruction) {
  constexpr uint32_t reservedFrom = 184 * 1024;
  uint32_t used = core->used[static_cast<size_t>(Memory::UB)];
  if (used <= reservedFrom) return;
  report({Check::ReservedArea, instruction,
          text("the buffers take %u bytes of UB; bytes from %u on belong to the library here", used, reservedFrom),
          "leave the top 8 KiB of UB free where Select takes a scalar or two tensors, and for AddDeqRelu, Digamma, "
          "Lgamma, Power and Sign"});
}

namespace {

uint64_t wordAt(const uint8_t* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// How many bytes at the start are alike, and at the end.
size_t commonStart(const uint8_t* a, const uint8_t* b, size_t bytes) {
  size_t alike = 0;
  while (alike + 8 <= bytes && wordAt(a + alike) == wordAt(b + alike)) alike += 8;
  while (alike < bytes && a[alike] == b[alike]) ++alike;
  return alike;
}

size_t commonEnd(const uint8_t* a, const uint8_t* b, size_t bytes) {
  size_t left = bytes;
  while (left >= 8 && wordAt(a + left - 8) == wordAt(b + left - 8)) left -= 8;
  while (left > 0 && a[left - 1] == b[left - 1]) --left;
  return bytes - left;
}

bool isFloat(vec::AtomicType type) {
  return type == vec::AtomicType::Float || type == vec::AtomicType::Half || type == vec::AtomicType::Bf16;
}

// What stores of this core do to global memory.
AtomicKind atomicKind() {
  if (core->atomic == vec::Atomic::None) return 0;
  return static_cast<AtomicKind>(static_cast<uint8_t>(core->atomic) * 8 + static_cast<uint8_t>(core->atomicType));
}

// Of scalar accesses by which cores tell each other something: they meet in the same word without being a race.
constexpr AtomicKind flagKind = 255;

}  // namespace

void forgetAccesses() { core->hazards.forget(); }

void checkGm(const char* instruction, const uint8_t* address, uint64_t bytes, bool write, const uint8_t* source,
             bool flag) {
  if (bytes == 0) return;
  const GmRegion* region = regionAt(address);
  if (region == nullptr || address + bytes > region->base + paddedBytes(*region)) {
    const GmRegion* from = region;
    // An offset a little too large is told from the tensor it left; a wild one belongs to none.
    constexpr size_t reach = size_t(1) << 20;
    if (from == nullptr) {
      for (const GmRegion& candidate : device.regions)
        if (candidate.base <= address && address < candidate.base + 2 * candidate.bytes + reach) from = &candidate;
    }
    std::string where = from == nullptr ? std::string("an address outside of every tensor")
                                        : text("bytes %td..%td of %s, which has %zu", address - from->base,
                                               address - from->base + static_cast<ptrdiff_t>(bytes) - 1,
                                               from->name.c_str(), from->bytes);
    trap({write ? Check::ErrorGmWrite : Check::ErrorGmRead, instruction,
          text("%s %s", write ? "writes" : "reads", where.c_str()),
          "check the offset of this core and the length of its last tile"});
  }
  if (write && region->access == Access::In) {
    trap({Check::ErrorInputWrite, instruction, text("writes to the input %s", region->name.c_str()),
          "write to an output; inputs belong to the caller"});
  }
  if (address + bytes > region->base + region->bytes) {
    report({write ? Check::GmPadWrite : Check::GmPadRead, instruction,
            text("%s %td bytes past the end of %s", write ? "writes" : "reads",
                 address + bytes - (region->base + region->bytes), region->name.c_str()),
            "use DataCopyPad with the exact number of bytes for the tail"});
  }
  if (region->access == Access::In) return;
  const uint8_t *begin = address, *end = address + bytes;
  const AtomicKind atomic = flag ? flagKind : write ? atomicKind() : AtomicKind(0);
  if (atomic != 0 && !flag && core->atomic == vec::Atomic::Add && isFloat(core->atomicType)) device.addsFloats = true;
  if (write && atomic == 0 && source != nullptr && !core->hazards.isOff()) {
    const size_t before = commonStart(address, source, bytes);
    begin += before;
    end -= commonEnd(begin, source + before, bytes - before);
  }
  core->hazards.global(instruction, {address, address + bytes, write, atomic, begin, end});
}

namespace {

constexpr uint64_t instructionLimit = uint64_t(64) << 20;
// No launch gets to this count by itself.
constexpr uint64_t overdueCount = instructionLimit << 1;

[[noreturn, gnu::noinline]] void endTooLong() {
  const bool overdue = device.recorded > overdueCount;
  trap({Check::InstructionLimit, "launch",
        overdue ? "the kernel has used up the processor time of its launch"
                : "the kernel has issued more than 67 million instructions",
        overdue ? "look for a loop that never ends; a kernel that is only slow needs a larger launchTimeoutMs"
                : "look for a loop that never ends, or that works element by element"});
}

inline void append(const TraceEntry& entry) {
  if (++device.recorded > instructionLimit) endTooLong();
  core->trace.emplace_back() = entry;
}

}  // namespace

// A count that is too high costs instructions nothing: they compare it anyway.
void endOverdue(bool insideKernel) {
  device.recorded = overdueCount + 1;
  if (insideKernel && core != nullptr) endTooLong();
}

void record(const TraceEntry& entry) {
  switch (entry.kind) {
    case TraceEntry::Set: core->hazards.release(entry.pipe, entry.token); break;
    case TraceEntry::Wait: core->hazards.acquire(entry.pipe, entry.token); break;
    case TraceEntry::Barrier: core->hazards.barrier(entry.pipe); break;
    case TraceEntry::BarrierAll:
    case TraceEntry::SyncAll: core->hazards.barrierAll(); break;
    case TraceEntry::CrossSet:
    case TraceEntry::CrossWait: break;
    default: core->hazards.issue(entry.pipe);
  }
  append(entry);
}

void recordScalar(uint32_t cycles) {
  if (!core->trace.empty()) {
    TraceEntry& last = core->trace.back();
    if (last.kind == TraceEntry::Work && last.pipe == Pipe::S) {
      last.occupancy += cycles;
      return;
    }
  }
  append({TraceEntry::Work, Pipe::S, false, 0, 0, cycles, 0, 0});
}

namespace {

constexpr uint32_t orderToken = 0;  // never used by flags or buffers: set and waited for at once

}  // namespace

void recordOrder(Pipe from, Pipe to) {
  record({TraceEntry::Set, from, false, 0, orderToken, 0, 0, 0});
  record({TraceEntry::Wait, to, false, 0, orderToken, 0, 0, 0});
}

void recordAutomaticOrder(Pipe from, Pipe to) {
  append({TraceEntry::Set, from, false, 0, orderToken, 0, 0, 0});
  append({TraceEntry::Wait, to, false, 0, orderToken, 0, 0, 0});
}

void recordVector(uint32_t occupancy, uint32_t tail, const Extent* extents, size_t count) {
  constexpr uint8_t issueCycles = 8;  // address arithmetic and mask set-up before the instruction
  auto& pending = core->pending;
  bool dependent = false;
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* begin = extents[i].operand.address;
    for (size_t j = 0; j < core->pendingCount; ++j)
      dependent |= begin < pending[j].end && pending[j].begin < begin + extents[i].bytes;
  }
  if (dependent || core->pendingCount == pending.size()) core->pendingCount = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!extents[i].write || core->pendingCount == pending.size()) continue;
    pending[core->pendingCount++] = {extents[i].operand.address, extents[i].operand.address + extents[i].bytes};
  }
  core->hazards.issue(Pipe::V);
  append({TraceEntry::Work, Pipe::V, dependent && device.request->autoSync, issueCycles, 0, occupancy, tail, 0});
}

}  // namespace npu_emu
