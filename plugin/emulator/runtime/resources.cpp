// TPipe, TQue and TBuf: memory of a core handed out to queues and buffers.
#include <algorithm>

#include "../include/ascendc/tensor.h"
#include "device.h"
#include "issue.h"

namespace npu_emu {

namespace {

constexpr size_t bufferLimit = 64;  // of one TPipe, all queues and buffers together

// Tokens of the trace: 0 is recordOrder's, then the flags, then two per buffer.
constexpr uint32_t firstBufferToken = 1 + eventCount * eventIds;

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

uint8_t* allot(Memory memory, uint32_t bytes, const char* instruction) {
  size_t index = static_cast<size_t>(memory);
  uint8_t* base = core->memory[index] + core->used[index];
  core->used[index] += bytes;
  if (core->used[index] > core->capacity[index]) {
    report({Check::UbOverflow, instruction,
            text("the buffers take %u bytes of %s, which has %u", core->used[index], nameOf(memory),
                 core->capacity[index]),
            "use smaller tiles or fewer buffers"});
  }
  return base;
}

// The same from a pool, which lies inside the memory.
uint8_t* allot(Pool& pool, uint32_t bytes, const char* instruction) {
  if (pool.range.address == nullptr) {
    trap({Check::ErrorBuffer4, instruction, "the TBufPool was never initialised",
          "call InitBufPool of the TPipe or of another pool first"});
  }
  uint8_t* base = pool.range.address + pool.used;
  pool.used += bytes;
  if (pool.used > pool.range.bytes) {
    trap({Check::BufferSize, instruction,
          text("the buffers take %u bytes of a TBufPool of %u", pool.used, pool.range.bytes),
          "give InitBufPool a larger length"});
  }
  return base;
}

uint16_t addBuffer(Buffer buffer, const char* instruction) {
  if (core->buffers.size() > bufferLimit) {
    trap({Check::BufferLimit, instruction, "a TPipe manages at most 64 buffers, all queues and TBuf together",
          "use fewer or smaller queues"});
  }
  core->buffers.push_back(buffer);
  return static_cast<uint16_t>(core->buffers.size() - 1);
}

uint32_t roundedUp(uint64_t bytes, Memory memory, const char* instruction) {
  if (bytes == 0 || bytes > (uint64_t(1) << 30)) {
    trap({Check::BufferSize, instruction,
          text("a buffer of %llu bytes cannot be had from %s", static_cast<unsigned long long>(bytes), nameOf(memory)),
          "check the tiling field the length is computed from"});
  }
  return static_cast<uint32_t>((bytes + 31) / 32 * 32);
}

// Operators give what they, or cores without work, do not use a length of 0; using it is an error of its own.
uint32_t lengthOf(uint32_t bytes, Memory memory, const char* instruction) {
  return bytes == 0 ? 0 : roundedUp(bytes, memory, instruction);
}

Queue& queueAt(BufferHandle handle, const char* instruction) {
  if (handle == 0 || handle >= core->queues.size()) {
    trap({Check::ErrorBuffer0, instruction, "the queue was never initialised",
          "call pipe.InitBuffer(queue, number, bytes) in Init"});
  }
  Queue& queue = core->queues[handle];
  if (queue.number == 0) {
    trap({Check::ErrorBuffer0, instruction, "the pool of the queue was reset",
          "call InitBuffer of the pool again after its Reset"});
  }
  return queue;
}

// The buffer a tensor starts in, from its id or its address.
uint16_t bufferIndex(const Queue& queue, uint16_t buffer, const uint8_t* address, const char* instruction) {
  auto holds = [&](uint16_t i) {
    return i >= queue.first && i < queue.first + queue.number && address >= core->buffers[i].base &&
           address < core->buffers[i].base + core->buffers[i].bytes;
  };
  if (holds(buffer)) return buffer;
  for (uint16_t i = queue.first; i < queue.first + queue.number; ++i)
    if (holds(i)) return i;
  trap({Check::ErrorBuffer3, instruction, text("the tensor does not come from this %s queue", nameOf(queue.src)),
        "pass the tensor that AllocTensor or DeQue of the same queue returned"});
}

LocalBuffer localOf(uint16_t index) {
  const Buffer& buffer = core->buffers[index];
  return {buffer.base, buffer.bytes, index};
}

void set(Pipe pipe, uint32_t token) { record({TraceEntry::Set, pipe, false, 2, token, 0, 0, 0}); }
void wait(Pipe pipe, uint32_t token) { record({TraceEntry::Wait, pipe, false, 2, token, 0, 0, 0}); }

}  // namespace

namespace {

// L1 where one end of the queue is there: TSCM, A1, B1 fed from elsewhere.
Memory memoryOfQueue(TPosition src, TPosition dst) {
  bool fromOutside = src == TPosition::GM || dst == TPosition::TSCM;
  return memoryOf(fromOutside ? dst : src);
}

template <class Allot>
BufferHandle makeQueue(TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes, Allot allotBytes) {
  const char* instruction = "InitBuffer";
  Memory memory = memoryOfQueue(src, dst);
  uint32_t length = lengthOf(bytes, memory, instruction);
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
    addBuffer({allotBytes(memory, length), length, memory, BufferState::Free, handle, token, token + 1, false, {}},
              instruction);
  }
  core->queues.push_back(std::move(queue));
  recordScalar(20u + 10u * number);
  return handle;
}

template <class Allot>
LocalBuffer makeBuffer(TPosition position, uint32_t bytes, Allot allotBytes) {
  const char* instruction = "InitBuffer";
  Memory memory = memoryOf(position);
  uint32_t length = lengthOf(bytes, memory, instruction);
  recordScalar(20);
  return localOf(
      addBuffer({allotBytes(memory, length), length, memory, BufferState::Plain, 0, 0, 0, false, {}}, instruction));
}

}  // namespace

namespace {

bool isOpen(const void* pipe) {
  return std::find(core->openPipes.begin(), core->openPipes.end(), pipe) != core->openPipes.end();
}

void forgetBuffers() {
  core->used.fill(0);
  core->buffers.resize(1);
  core->queues.resize(1);
}

// After a pipe that has ended, memory is handed out from its start again.
void forgetEndedPipe() {
  if (core->bufferPipe == nullptr || isOpen(core->bufferPipe)) return;
  checkQueuesAtEnd("TPipe");
  forgetBuffers();
  core->bufferPipe = nullptr;
}

// Each pipe hands out memory from its start: two of them hand out the same.
void checkPipe(const void* pipe, const char* instruction) {
  if (core->bufferPipe == pipe) return;
  forgetEndedPipe();
  if (core->bufferPipe != nullptr) {
    report({Check::PipeTwice, instruction, "two TPipe objects hand out the same memory",
            "pass the one TPipe of the kernel by pointer"});
  }
  if (!isOpen(pipe)) core->openPipes.push_back(pipe);  // a copy
  core->bufferPipe = pipe;
}

}  // namespace

BufferHandle initQueue(const void* pipe, TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes) {
  checkPipe(pipe, "InitBuffer");
  return makeQueue(src, dst, depth, number, bytes,
                   [](Memory memory, uint32_t length) { return allot(memory, length, "InitBuffer"); });
}
BufferHandle initQueueIn(Pool& pool, TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes) {
  return makeQueue(src, dst, depth, number, bytes,
                   [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBuffer"); });
}
LocalBuffer initBuffer(const void* pipe, TPosition position, uint32_t bytes) {
  checkPipe(pipe, "InitBuffer");
  return makeBuffer(position, bytes,
                    [](Memory memory, uint32_t length) { return allot(memory, length, "InitBuffer"); });
}
LocalBuffer initBufferIn(Pool& pool, TPosition position, uint32_t bytes) {
  return makeBuffer(position, bytes,
                    [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBuffer"); });
}

Pool initPool(const void* pipe, TPosition position, uint32_t bytes, const Pool* shared) {
  if (shared != nullptr) {
    if (bytes > shared->range.bytes) {
      trap({Check::BufferSize, "InitBufPool",
            text("the pool takes %u bytes, the one it shares memory with has %u", bytes, shared->range.bytes),
            "pass a length that is not above that of the shared pool"});
    }
    Pool pool{shared->range, 0};
    pool.range.bytes = bytes;
    return pool;
  }
  checkPipe(pipe, "InitBufPool");
  Memory memory = memoryOf(position);
  uint32_t length = roundedUp(bytes, memory, "InitBufPool");
  recordScalar(20);
  return {{allot(memory, length, "InitBufPool"), length, 0}, 0};
}

namespace {

const uint8_t* startOf(const Pool& pool, const char* instruction) {
  if (pool.range.address == nullptr) {
    trap({Check::ErrorBuffer4, instruction, "the pool was never initialised", "call InitBufPool of the TPipe first"});
  }
  for (size_t i = 0; i < memoryCount; ++i)
    if (pool.range.address >= core->memory[i] && pool.range.address < core->memory[i] + core->capacity[i])
      return core->memory[i];
  return pool.range.address;
}

uint8_t* placeIn(const Pool& pool, uint32_t address, uint32_t bytes) {
  const char* instruction = "InitBufHandle";
  const uint32_t start = static_cast<uint32_t>(pool.range.address - startOf(pool, instruction));
  if (address < start || uint64_t(address) + bytes > uint64_t(start) + pool.range.bytes) {
    trap({Check::BufferSize, instruction,
          text("bytes %u..%llu lie outside of the pool, which has %u from %u on", address,
               static_cast<unsigned long long>(uint64_t(address) + bytes), pool.range.bytes, start),
          "divide the memory from GetCurAddr() on, within the length of InitBufPool"});
  }
  return pool.range.address + (address - start);
}

}  // namespace

uint32_t poolAddress(const Pool& pool) {
  return static_cast<uint32_t>(pool.range.address - startOf(pool, "GetCurAddr")) + pool.used;
}

void setPoolAddress(Pool& pool, uint32_t address) {
  pool.used = address - static_cast<uint32_t>(pool.range.address - startOf(pool, "SetCurAddr"));
}

uint8_t* bufferHandle(uint8_t index, int32_t limit) {
  if (index >= limit) {
    trap({Check::BufferLimit, "GetBufHandle", text("the pool has no buffer %u of %d", index, limit),
          "raise BUFID_SIZE of EXTERN_IMPL_BUFPOOL"});
  }
  return nullptr;
}

BufferHandle openQueue(TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes) {
  return makeQueue(src, dst, depth, number, bytes, [](Memory, uint32_t) { return static_cast<uint8_t*>(nullptr); });
}

void placeBuffer(BufferHandle handle, uint32_t index, const Pool& pool, uint32_t address, uint32_t bytes) {
  Queue& queue = queueAt(handle, "InitBufHandle");
  if (index >= queue.number) {
    trap({Check::ParameterRange, "InitBufHandle", text("the queue has no buffer %u of %u", index, queue.number),
          "place as many buffers as InitStartBufHandle says"});
  }
  Buffer& buffer = core->buffers[queue.first + index];
  buffer.base = placeIn(pool, address, bytes);
  buffer.bytes = bytes;
}

LocalBuffer bufferAt(TPosition position, const Pool& pool, uint32_t address, uint32_t bytes) {
  return makeBuffer(position, bytes, [&](Memory, uint32_t length) { return placeIn(pool, address, length); });
}

// The buffers of the pool are given up: their place is free for others. Pipes are ordered as at the reset of a TPipe.
void resetPool(Pool& pool) {
  const uint8_t *begin = pool.range.address, *end = begin + pool.range.bytes;
  const auto inside = [&](const Buffer& buffer) {
    return buffer.base != nullptr && buffer.base >= begin && buffer.base < end;
  };
  for (BufferHandle handle = 1; handle < core->queues.size(); ++handle) {
    Queue& queue = core->queues[handle];
    if (queue.number == 0 || !inside(core->buffers[queue.first])) continue;
    freeAllEvents(handle);
    queue.number = 0;
    queue.line.clear();
  }
  for (Buffer& buffer : core->buffers) {
    if (!inside(buffer)) continue;
    buffer.base = nullptr;
    buffer.bytes = 0;
    buffer.state = BufferState::Plain;
  }
  while (core->buffers.size() > 1 && core->buffers.back().base == nullptr) core->buffers.pop_back();
  pool.used = 0;
  recordScalar(20);
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

LocalBuffer allocTensor(BufferHandle handle) {
  Queue& queue = queueAt(handle, "AllocTensor");
  if (core->buffers[queue.first].bytes == 0) {
    trap({Check::BufferSize, "AllocTensor", text("the buffers of the %s queue have 0 bytes", nameOf(queue.src)),
          "check the tiling field the length of InitBuffer is computed from"});
  }
  for (uint16_t i = 0; i < queue.number; ++i) {
    uint16_t slot = static_cast<uint16_t>((queue.next + i) % queue.number);
    Buffer& buffer = core->buffers[queue.first + slot];
    if (buffer.state != BufferState::Free) continue;
    queue.next = static_cast<uint16_t>((slot + 1) % queue.number);
    buffer.state = BufferState::Allocated;
    buffer.where = callPath(core->fiber);
    if (buffer.everFreed) wait(queue.reuse.to, buffer.freeToken);
    else recordScalar(4);
    return localOf(static_cast<uint16_t>(queue.first + slot));
  }
  trap({Check::QueueExhausted, "AllocTensor",
        text("all %u buffers of the %s queue are in use: the core waits for ever", queue.number, nameOf(queue.src)),
        "free tensors before allocating more, or give InitBuffer a larger number"});
}

void enqueTensor(BufferHandle handle, uint16_t index, const uint8_t* address) {
  Queue& queue = queueAt(handle, "EnQue");
  index = bufferIndex(queue, index, address, "EnQue");
  Buffer& buffer = core->buffers[index];
  if (buffer.state == BufferState::Queued) {
    trap({Check::QueueState, "EnQue", text("the tensor is already in the %s queue", nameOf(queue.src)),
          "enqueue a tensor once"});
  }
  if (buffer.state == BufferState::Free) {
    trap({Check::QueueState, "EnQue", text("the tensor of the %s queue was freed before", nameOf(queue.src)),
          "enqueue before FreeTensor"});
  }
  if (static_cast<int64_t>(queue.line.size()) >= (queue.depth == 0 ? queue.number : queue.depth)) {
    trap({Check::QueueOverflow, "EnQue",
          text("the %s queue of depth %d already holds %zu tensors", nameOf(queue.src), queue.depth, queue.line.size()),
          "DeQue before the next EnQue, or raise the depth of the TQue"});
  }
  buffer.state = BufferState::Queued;
  buffer.where = callPath(core->fiber);
  queue.line.push_back(index);
  set(queue.ready.from, buffer.readyToken);
}

LocalBuffer dequeTensor(BufferHandle handle) {
  Queue& queue = queueAt(handle, "DeQue");
  if (queue.line.empty()) {
    trap({Check::QueueEmpty, "DeQue", text("the %s queue is empty: the core waits for ever", nameOf(queue.src)),
          "EnQue a tensor before DeQue; check the order and the loop counts of the stages"});
  }
  uint16_t index = queue.line.front();
  queue.line.erase(queue.line.begin());
  Buffer& buffer = core->buffers[index];
  buffer.state = BufferState::Taken;
  buffer.where = callPath(core->fiber);
  wait(queue.ready.to, buffer.readyToken);
  return localOf(index);
}

void dequeTensorAt(BufferHandle handle, uint16_t index, const uint8_t* address) {
  Queue& queue = queueAt(handle, "DeQue");
  index = bufferIndex(queue, index, address, "DeQue");
  auto place = std::find(queue.line.begin(), queue.line.end(), index);
  if (place == queue.line.end()) {
    trap({Check::QueueEmpty, "DeQue",
          text("the tensor is not in the %s queue: the core waits for ever", nameOf(queue.src)),
          "EnQue the tensor before DeQue; check the order and the loop counts of the stages"});
  }
  queue.line.erase(place);
  Buffer& buffer = core->buffers[index];
  buffer.state = BufferState::Taken;
  buffer.where = callPath(core->fiber);
  wait(queue.ready.to, buffer.readyToken);
}

// Waits for everything the consumers of freed tensors have issued.
void freeAllEvents(BufferHandle handle) {
  Queue& queue = queueAt(handle, "FreeAllEvent");
  for (uint16_t i = queue.first; i < queue.first + queue.number; ++i) {
    Buffer& buffer = core->buffers[i];
    if (buffer.state == BufferState::Free && buffer.everFreed) wait(queue.reuse.to, buffer.freeToken);
  }
}

void freeAllEventsOfPipe() {
  for (BufferHandle queue = 1; queue < core->queues.size(); ++queue)
    if (core->queues[queue].number != 0) freeAllEvents(queue);
}

void freeTensor(BufferHandle handle, uint16_t index, const uint8_t* address) {
  Queue& queue = queueAt(handle, "FreeTensor");
  index = bufferIndex(queue, index, address, "FreeTensor");
  Buffer& buffer = core->buffers[index];
  if (buffer.state == BufferState::Free) {
    trap({Check::ErrorFree, "FreeTensor", text("the tensor of the %s queue is freed twice", nameOf(queue.src)),
          "free a tensor once"});
  }
  if (buffer.state == BufferState::Queued) {
    trap({Check::QueueState, "FreeTensor", text("the tensor is still in the %s queue", nameOf(queue.src)),
          "DeQue it before FreeTensor"});
  }
  buffer.state = BufferState::Free;
  buffer.everFreed = true;
  set(queue.reuse.from, buffer.freeToken);
}

bool queueVacant(BufferHandle handle) {
  const Queue& queue = queueAt(handle, "VacantInQue");
  return static_cast<int64_t>(queue.line.size()) < queue.depth;
}

bool queueHasIdleBuffer(BufferHandle handle) {
  const Queue& queue = queueAt(handle, "HasIdleBuffer");
  for (uint16_t i = queue.first; i < queue.first + queue.number; ++i)
    if (core->buffers[i].state == BufferState::Free) return true;
  return false;
}

bool queueHasTensor(BufferHandle handle) { return !queueAt(handle, "HasTensorInQue").line.empty(); }

int32_t queueLength(BufferHandle handle) {
  return static_cast<int32_t>(queueAt(handle, "GetTensorCountInQue").line.size());
}

void checkQueuesAtEnd(const char* of) {
  for (const Queue& queue : core->queues) {
    if (queue.line.empty()) continue;
    report({Check::ErrorSync3, "EnQue",
            text("%zu tensors are still in a %s queue when the %s ends", queue.line.size(), nameOf(queue.src), of),
            "take out with DeQue what EnQue puts in", &core->buffers[queue.line.front()].where});
  }
  for (const Buffer& buffer : core->buffers) {
    if (buffer.state != BufferState::Allocated && buffer.state != BufferState::Taken) continue;
    bool taken = buffer.state == BufferState::Taken;
    report({Check::ErrorLeak, taken ? "DeQue" : "AllocTensor", "a tensor is never freed",
            "call FreeTensor after the last use", &buffer.where});
  }
}

void openPipe(void* pipe) {
  forgetEndedPipe();
  // one that has handed nothing out yet is replaced without harm
  if (core->buffers.size() > 1 || core->queues.size() > 1) {
    report({Check::PipeTwice, "TPipe", "a second TPipe is constructed while the first one has buffers",
            "pass the one TPipe of the kernel by pointer"});
  }
  core->pipe = pipe;
  if (!isOpen(pipe)) core->openPipes.push_back(pipe);
  recordScalar(200);  // event ids and mask are set up
}

// The buffers stay until another pipe wants their memory.
void closePipe(void* pipe, bool waitsForAll) {
  auto place = std::find(core->openPipes.begin(), core->openPipes.end(), pipe);
  if (place == core->openPipes.end()) return;
  core->openPipes.erase(place);
  if (waitsForAll) record({TraceEntry::BarrierAll, Pipe::S, false, 1, 0, 0, 0, 0});
  else freeAllEventsOfPipe();
}

// Who fills a queue waits for the tensors that were freed; no other pipes are ordered, as in a TBuf or from one queue to
// another whose place it takes.
void resetPipe() {
  freeAllEventsOfPipe();
  forgetBuffers();
  recordScalar(200);  // event ids and mask are set up
}

void* currentPipe() { return core->pipe; }

}  // namespace npu_emu

namespace AscendC {

namespace {

uint8_t* startOf(TPosition position) { return npu_emu::core->memory[static_cast<size_t>(npu_emu::memoryOf(position))]; }

// The address comes first: each of the two members finds the other one.
static_assert(std::is_standard_layout_v<TBuffAddr> && offsetof(TBuffAddr, bufferAddr) == 0);

}  // namespace

void TBuffAddr::Address::operator=(uint64_t place) {
  constexpr uint64_t offsetsEnd = uint64_t(1) << 20;  // no memory is larger, and no address is smaller
  const auto* self = reinterpret_cast<const TBuffAddr*>(this);
  bytes = place < offsetsEnd ? startOf(self->logicPos.value) + place : reinterpret_cast<uint8_t*>(place);
}

void TBuffAddr::Position::operator=(uint8_t position) {
  auto* self = reinterpret_cast<TBuffAddr*>(reinterpret_cast<uint8_t*>(this) - offsetof(TBuffAddr, logicPos));
  const TPosition next = static_cast<TPosition>(position);
  if (self->bufferAddr.bytes != nullptr) self->bufferAddr.bytes += startOf(next) - startOf(value);
  value = next;
}

}  // namespace AscendC
