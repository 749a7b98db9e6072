// Memory of a core, handed out to queues and buffers one after the other.
#include "buffers.h"

#include "issue.h"

namespace npu_emu {

namespace {

constexpr size_t bufferLimit = 64;  // of one TPipe, all queues and buffers together

constexpr uint32_t firstBufferToken = firstFlagToken + eventCount * eventIds;

// The event pair a queue stands for: who fills its tensors and who empties them.
struct Flow {
  Pipe producer, consumer;
};
Flow flowOf(TPosition src, TPosition dst) {
  if (src == TPosition::VECIN && dst == TPosition::VECOUT) return {Pipe::MTE2, Pipe::MTE3};
  if (dst == TPosition::TSCM) return {src == TPosition::GM ? Pipe::MTE2 : Pipe::MTE3, Pipe::MTE1};
  switch (src == TPosition::GM ? dst : src) {
    case TPosition::VECIN: return {Pipe::MTE2, Pipe::V};
    case TPosition::VECOUT: return {Pipe::V, Pipe::MTE3};
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM: return {Pipe::MTE2, Pipe::MTE1};
    case TPosition::A2:
    case TPosition::B2:
    case TPosition::C2: return {Pipe::MTE1, Pipe::M};
    case TPosition::CO1: return {Pipe::M, Pipe::FIX};
    default: return {Pipe::V, Pipe::V};
  }
}

uint16_t addBuffer(Buffer buffer, const char* instruction) {
  if (core->buffers.size() > bufferLimit) {
    trap({Check::BufferLimit, instruction, "a TPipe manages at most 64 buffers, all queues and TBuf together",
          "use fewer or smaller queues"});
  }
  core->buffers.push_back(buffer);
  return static_cast<uint16_t>(core->buffers.size() - 1);
}

// Operators give what they, or cores without work, do not use a length of 0; using it is an error of its own.
uint32_t lengthOrNone(uint32_t bytes, Memory memory, const char* instruction) {
  return bytes == 0 ? 0 : lengthOf(bytes, memory, instruction);
}

// L1 where one end of the queue is there: TSCM, A1, B1 fed from elsewhere.
Memory memoryOfQueue(TPosition src, TPosition dst) {
  bool fromOutside = src == TPosition::GM || dst == TPosition::TSCM;
  return memoryOf(fromOutside ? dst : src);
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

BufferHandle makeQueue(TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes,
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
    addBuffer({allot(memory, length), length, memory, BufferState::Free, handle, {token}, {token + 1}, false, {}},
              instruction);
  }
  core->queues.push_back(std::move(queue));
  scalarCycles(20u + 10u * number);
  return handle;
}

LocalBuffer makeBuffer(TPosition position, uint32_t bytes, const Allotment& allot) {
  const char* instruction = "InitBuffer";
  Memory memory = memoryOf(position);
  uint32_t length = lengthOrNone(bytes, memory, instruction);
  scalarCycles(20);
  return localOf(
      addBuffer({allot(memory, length), length, memory, BufferState::Plain, 0, {}, {}, false, {}}, instruction));
}

BufferHandle initQueue(const void* pipe, TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes) {
  checkPipe(pipe, "InitBuffer");
  const BufferHandle handle = makeQueue(src, dst, depth, number, bytes, [](Memory memory, uint32_t length) {
    return allot(memory, length, "InitBuffer");
  });
  if (depth == 0 && dst != TPosition::TSCM) keepFlags(core->queues[handle]);
  return handle;
}

LocalBuffer initBuffer(const void* pipe, TPosition position, uint32_t bytes) {
  checkPipe(pipe, "InitBuffer");
  return makeBuffer(position, bytes,
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
