// What the issue point checks of operands, and tells the race detector of them.
#include "issue.h"

#include <algorithm>
#include <cstring>

#include "device.h"
#include "late_copies.h"
#include "written_bytes.h"

namespace npu_emu {

namespace {

// The ways out of checkLocal stay out of it: it is passed for every operand.
//
// A device knows no buffers: past the end of one in UB it goes on, in another one.
[[gnu::noinline]] void leaveBuffer(const char* instruction, const Extent& extent, Memory memory, const Buffer& buffer) {
  const uint8_t* base = core->memory[static_cast<size_t>(memory)];
  const uint8_t* lower = buffer.base != nullptr ? buffer.base : base;
  const uint32_t capacity = core->capacity[static_cast<size_t>(memory)];
  uint32_t size = buffer.base != nullptr ? buffer.bytes : capacity;
  if (lower + size > base + capacity && isWithin(extent.operand.address, extent.bytes, lower, size)) {
    trap({extent.write ? Check::ErrorWrite2 : Check::ErrorRead3, instruction,
          text("%s ends at %s 0x%tx, but %s ends at 0x%x: its buffer of %u bytes does not fit", extent.role,
               nameOf(memory), extent.operand.address - base + static_cast<ptrdiff_t>(extent.bytes), nameOf(memory),
               capacity, size),
          "make the buffers smaller; GetCoreMemSize tells the tiling function how much memory there is"});
  }
  Finding finding{
      extent.write ? Check::ErrorWrite2 : Check::ErrorRead3, instruction,
      text("%s touches bytes %td..%td of a buffer of %u bytes (%s 0x%tx)", extent.role, extent.operand.address - lower,
           extent.operand.address - lower + static_cast<ptrdiff_t>(extent.bytes) - 1, size, nameOf(memory),
           lower - base),
      "check the count against the length given to InitBuffer, and the tail of the last tile"};
  const bool staysInUb = memory == Memory::UB && lower <= base + capacity &&
                         isWithin(extent.operand.address, extent.bytes, base, capacity);
  if (!staysInUb) trap(std::move(finding));
  const CallPath path = placeOf(*core);  // cheaper than all frames, where it happens again and again
  finding.where = &path;
  finding.isHarmless = true;
  Report warning = reportOf(finding), error = warning;
  error.isError = true;
  record(std::move(warning));
  core->hazards.overrun(static_cast<uint32_t>(lower - base), static_cast<uint32_t>(lower - base) + size,
                        std::move(error));
}

[[noreturn, gnu::noinline]] void withoutMemory(const char* instruction, const Extent& extent) {
  if (extent.operand.buffer == neverInitialised.buffer) {
    trap({Check::ErrorBuffer0, instruction, text("the buffer of %s was never initialised", extent.role),
          "call pipe.InitBuffer(buffer, bytes) in Init"});
  }
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

void IssuePoint::checkLocal(const char* instruction, const Extent& extent) {
  const Memory expected = extent.memory;
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
  const bool inBuffer = buffer.base == nullptr || isWithin(address, extent.bytes, buffer.base, buffer.bytes);
  if (!inBuffer || !isWithin(address, extent.bytes, base, capacity)) leaveBuffer(instruction, extent, memory, buffer);
  if (((address - base) & (extent.alignment - 1)) != 0) misaligned(instruction, extent, memory, address - base);
  if (buffer.queue != 0 && (buffer.state == BufferState::Free || buffer.state == BufferState::Queued))
    checkState(instruction, extent, buffer);
  const auto offset = static_cast<uint32_t>(address - base);
  LocalAccess access{static_cast<uint8_t>(memory),
                     extent.write,
                     offset + extent.bytes.begin,
                     extent.bytes.runs,
                     extent.role,
                     extent.bytes.begin};
  // Of rows, the last one may be shorter than the others, and the rest of it beyond the memory.
  if (uint64_t(offset) + extent.bytes.begin + spanOf(access.runs) > capacity) [[unlikely]] {
    access.offset = offset, access.ahead = 0;
    access.runs = Reach(extent.bytes.bytes).runs;
  }
  core->hazards.local(instruction, access);
}

namespace {
constexpr uint32_t reservedFrom = architecture::ubBytes - architecture::libraryBytes;
}  // namespace

uint8_t* reservedArea() { return core->memory[static_cast<size_t>(Memory::UB)] + reservedFrom; }

void Touches::addReservedArea(uint32_t bytes) {
  core->hazards.local(instruction_.name, {static_cast<uint8_t>(Memory::UB), writes, reservedFrom, Reach(bytes).runs,
                                          "the area of the library in UB"});
}

void checkReservedArea(const char* instruction) {
  using namespace architecture;
  static_assert(libraryBytes == 8 * KiB, "the hint says so");
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

// What stores of a pipe do to global memory. Those of the scalar unit are no copies, which are atomic.
AtomicKind atomicKind(Pipe pipe) {
  if (pipe == Pipe::S || core->atomic == vec::Atomic::None) return 0;
  return static_cast<AtomicKind>(static_cast<uint8_t>(core->atomic) * 8 + static_cast<uint8_t>(core->atomicType));
}

}  // namespace

static void checkRow(const char* instruction, Pipe pipe, const uint8_t* address, uint64_t bytes, bool write,
                     const uint8_t* source, AtomicKind flag, bool covers, bool isPastEnd) {
  const GmRegion* region = regionAt(address);
  if (region == nullptr || !isWithin(address, bytes, region->base, paddedBytes(*region))) {
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
          from != nullptr && from->use == GmRegion::Workspace
              ? "ask for as many bytes in the tiling function: GetWorkspaceSizes(1)[0] = ..."
              : "check the offset of this core and the length of its last tile"});
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
  const AtomicKind atomic = flag != 0 ? flag : write ? atomicKind(pipe) : AtomicKind(0);
  const bool isAdded = atomic != 0 && flag == 0;
  if (covers) cover(*region, address, bytes, write, isAdded);
  // nobody writes to inputs, and all of them is there
  if (region->access == Access::In && !isPastEnd) return;
  // what is added to anything is anything
  if (write && !isAdded) noteWritten(*region, address, bytes);
  if (write) device.meetings.storeAnyhow(address, address + bytes, core->number);
  if (write && covers && !device.watched.empty()) noteWrite(instruction, address, bytes, isAdded);
  const uint8_t *begin = address, *end = address + bytes;
  if (isAdded && core->atomic == vec::Atomic::Add && isFloat(core->atomicType)) device.addsFloats = true;
  if (write && atomic == 0 && source != nullptr && !core->hazards.isOff()) {
    if (core->late != nullptr) core->late->landStoresTo(begin, end);
    const size_t before = commonStart(address, source, bytes);
    begin += before;
    end -= commonEnd(begin, source + before, bytes - before);
  }
  core->hazards.global(instruction, {address, address + bytes, write, atomic, begin, end});
}

void IssuePoint::checkGm(const char* instruction, Pipe pipe, const GmExtent& extent, bool covers) {
  if (extent.rowBytes == 0) return;
  const uint64_t span = (extent.rows - 1) * extent.distance + extent.rowBytes;
  if (core->lateStores != nullptr)
    core->lateStores->landIfTouched(extent.address, extent.address + span, extent.flag != 0 && extent.write);
  const GmRegion* region = regionAt(extent.address);
  const bool isPastEnd = region != nullptr && !isWithin(extent.address, span, region->base, region->bytes);
  for (uint64_t row = 0; row < extent.rows; ++row) {
    const uint8_t* source = extent.source == nullptr ? nullptr : extent.source + row * extent.sourceDistance;
    checkRow(instruction, pipe, extent.address + row * extent.distance, extent.rowBytes, extent.write, source,
             extent.flag, covers, isPastEnd);
  }
}

}  // namespace npu_emu
