// Memory of a core, handed out to queues and buffers one after the other.
#include "buffers.h"

#include <algorithm>

#include "issue.h"

namespace npu_emu {

namespace {

constexpr size_t bufferLimit = 64;           // of one TPipe, all queues and buffers together
constexpr size_t bufferLimitOfPools = 1024;  // with those of all pools

constexpr uint32_t firstBufferToken = firstFlagToken + eventCount * eventIds;

// The event pair a queue stands for: who fills its tensors and who empties them.
struct Flow {
  Pipe producer, consumer;
};

// CO2 is a part of global memory.
bool isGlobal(TPosition position) { return position == TPosition::GM || position == TPosition::CO2; }

Flow flowOf(TPosition src, TPosition dst) {
  const Memory to = memoryOf(dst);
  if (isGlobal(src)) return {Pipe::MTE2, to == Memory::UB ? Pipe::V : to == Memory::L1 ? Pipe::MTE1 : Pipe::M};
  switch (memoryOf(src)) {
    case Memory::UB:
      if (isGlobal(dst)) return {Pipe::V, Pipe::MTE3};
      if (to == Memory::L1) return {Pipe::MTE3, Pipe::MTE1};
      return to == Memory::UB ? Flow{Pipe::MTE2, Pipe::MTE3} : Flow{Pipe::V, Pipe::V};
    case Memory::L1:
      if (to == Memory::UB) return {Pipe::MTE1, Pipe::V};
      return {Pipe::MTE1, to == Memory::FB ? Pipe::FIX : Pipe::M};
    case Memory::L0C: return {Pipe::M, Pipe::FIX};
    default: return {Pipe::M, Pipe::V};
  }
}

uint16_t addBuffer(Buffer buffer, const char* instruction) {
  const auto isOfPipe = [](const Buffer& each) { return each.pool == 0; };
  const auto ofPipe = std::count_if(core->buffers.begin() + 1, core->buffers.end(), isOfPipe);
  if (buffer.pool == 0 && static_cast<size_t>(ofPipe) >= bufferLimit) {
    trap({Check::BufferLimit, instruction, "a TPipe manages at most 64 buffers, all queues and TBuf together",
          "use fewer or smaller queues"});
  }
  if (core->buffers.size() > bufferLimitOfPools)
    trap({Check::BufferLimit, instruction, "the pools have too many buffers", "initialise them outside of loops"});
  core->buffers.push_back(buffer);
  return static_cast<uint16_t>(core->buffers.size() - 1);
}

// Operators give what they, or cores without work, do not use a length of 0; using it is an error of its own.
uint32_t lengthOrNone(uint32_t bytes, Memory memory, const char* instruction) {
  return bytes == 0 ? 0 : lengthOf(bytes, memory, instruction);
}

// Queues of depth 0 have event ids for each of their buffers from the start, and a first AllocTensor waits as later ones do.
void keepFlags(const Queue& queue) {
  for (uint16_t i = queue.first; i < queue.first + queue.number; ++i) {
    Buffer& buffer = core->buffers[i];
    keepQueueFlag("InitBuffer", queue.ready, buffer.ready);
    keepQueueFlag("InitBuffer", queue.reuse, buffer.reuse);
    setQueueFlag("InitBuffer", queue.reuse, buffer.reuse);
  }
}

// The first buffer too many on a device of which the host part was told that it has less than there is.
void reportHardCodedSize(uint32_t bytes, const char* instruction) {
  const uint32_t told = device.request->ubBytes, used = core->used[static_cast<size_t>(Memory::UB)];
  if (told == 0 || used <= told || used - bytes > told) return;
  report({Check::HardCodedSize, instruction,
          text("the buffers take %u bytes of UB, and GetCoreMemSize said that there are %u", used, told),
          "compute the length of tiles from GetCoreMemSize"});
}

}  // namespace

uint8_t* allot(Memory memory, uint32_t bytes, const char* instruction) {
  size_t index = static_cast<size_t>(memory);
  uint8_t* base = core->memory[index] + core->used[index];
  core->used[index] += bytes;
  if (core->used[index] > core->capacity[index]) {
    report({Check::UbOverflow, instruction,
            text("the buffers take %u bytes of %s, which has %u", core->used[index], nameOf(memory),
                 core->capacity[index]),
            "use smaller tiles or fewer buffers"});
  } else if (memory == Memory::UB) {
    reportHardCodedSize(bytes, instruction);
  }
  return base;
}

uint32_t lengthOf(uint64_t bytes, Memory memory, const char* instruction) {
  if (bytes == 0 || bytes > (uint64_t(1) << 30)) {
    trap({Check::BufferSize, instruction,
          text("a buffer of %llu bytes cannot be had from %s", static_cast<unsigned long long>(bytes), nameOf(memory)),
          "check the tiling field the length is computed from"});
  }
  return static_cast<uint32_t>((bytes + 31) / 32 * 32);
}

Memory memoryOfQueue(TPosition src, TPosition dst) { return memoryOf(isGlobal(dst) ? src : dst); }

TPosition positionOf(const Queue& queue) {
  if (isGlobal(queue.dst)) return queue.src;
  return !isGlobal(queue.src) && memoryOf(queue.src) == memoryOf(queue.dst) ? queue.src : queue.dst;
}

BufferHandle makeQueue(TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes, uint32_t pool,
                       const Allotment& allot) {
  const char* instruction = "InitBuffer";
  Memory memory = memoryOfQueue(src, dst);
  uint32_t length = lengthOrNone(bytes, memory, instruction);
  if (number == 0)
    trap({Check::BufferSize, instruction, "a queue needs at least one buffer",
          "pass the number of buffers, 2 for double buffering"});
  Flow flow = flowOf(src, dst);
  Queue queue{src,
              dst,
              depth,
              static_cast<uint16_t>(core->buffers.size()),
              number,
              0,
              {flow.producer, flow.consumer},
              {flow.consumer, flow.producer},
              {}};
  auto handle = static_cast<BufferHandle>(core->queues.size());
  for (uint8_t i = 0; i < number; ++i) {
    uint32_t token = firstBufferToken + 2 * static_cast<uint32_t>(core->buffers.size());
    addBuffer({allot(memory, length), length, memory, BufferState::Free, handle, {token}, {token + 1}, false, {}, pool},
              instruction);
  }
  core->queues.push_back(std::move(queue));
  scalarCycles(20u + 10u * number);
  return handle;
}

LocalBuffer makeBuffer(TPosition position, uint32_t bytes, uint32_t pool, const Allotment& allot) {
  const char* instruction = "InitBuffer";
  Memory memory = memoryOf(position);
  uint32_t length = lengthOrNone(bytes, memory, instruction);
  scalarCycles(20);
  return localOf(
      addBuffer({allot(memory, length), length, memory, BufferState::Plain, 0, {}, {}, false, {}, pool}, instruction));
}

BufferHandle initQueue(const void* pipe, TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes) {
  checkPipe(pipe, "InitBuffer");
  const BufferHandle handle = makeQueue(src, dst, depth, number, bytes, 0, [](Memory memory, uint32_t length) {
    return allot(memory, length, "InitBuffer");
  });
  if (depth == 0 && dst != TPosition::TSCM) keepFlags(core->queues[handle]);
  return handle;
}

BufferHandle initQueueAt(const void* pipe, TPosition src, TPosition dst, int32_t depth, uint8_t number) {
  checkPipe(pipe, "InitBuffer");
  const BufferHandle handle =
      makeQueue(src, dst, depth, number, 0, 0, [](Memory, uint32_t) { return static_cast<uint8_t*>(nullptr); });
  if (depth == 0) keepFlags(core->queues[handle]);
  return handle;
}

void placeBufferAt(BufferHandle handle, uint32_t index, uint32_t address, uint32_t bytes) {
  const Queue& queue = queueAt(handle, "InitBuffer");
  if (index >= queue.number)
    trap({Check::InvalidStream, "InitBuffer", "the queue has fewer buffers", "leave the members of a queue alone"});
  Buffer& buffer = core->buffers[queue.first + index];
  const auto memory = static_cast<size_t>(buffer.memory);
  if (uint64_t(address) + bytes > core->capacity[memory])
    trap({Check::BufferSize, "InitBuffer",
          text("bytes %u..%llu lie outside of %s, which has %u", address,
               static_cast<unsigned long long>(uint64_t(address) + bytes), nameOf(buffer.memory),
               core->capacity[memory]),
          "keep addresses and lengths inside the memory"});
  buffer.base = core->memory[memory] + address;
  buffer.bytes = bytes;
}

LocalBuffer initBuffer(const void* pipe, TPosition position, uint32_t bytes) {
  checkPipe(pipe, "InitBuffer");
  return makeBuffer(position, bytes, 0,
                    [](Memory memory, uint32_t length) { return allot(memory, length, "InitBuffer"); });
}

LocalBuffer restOfMemory(TPosition position) {
  size_t index = static_cast<size_t>(memoryOf(position));
  uint32_t used = core->used[index], capacity = core->capacity[index];
  if (used >= capacity) return {};
  return {core->memory[index] + used, capacity - used, 0};
}

LocalBuffer localMemoryOf(TPosition position, uint32_t offset, uint32_t bytes) {
  size_t index = static_cast<size_t>(memoryOf(position));
  if (uint64_t(offset) + bytes > core->capacity[index]) {
    trap({Check::BufferSize, "LocalTensor",
          text("bytes %u..%llu lie outside of %s, which has %u", offset,
               static_cast<unsigned long long>(uint64_t(offset) + bytes), nameOf(static_cast<Memory>(index)),
               core->capacity[index]),
          "keep addresses and lengths inside the memory"});
  }
  return {core->memory[index] + offset, bytes, 0};
}

}  // namespace npu_emu
