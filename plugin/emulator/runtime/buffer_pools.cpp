// TBufPool: a range of local memory that hands out queues and buffers itself, or is divided by the kernel.
#include <algorithm>
#include <utility>

#include "buffers.h"
#include "issue.h"

namespace npu_emu {

namespace {

constexpr size_t poolLimit = 4096;

// The kernel says where its pool is, and is not believed: it must be a range that was handed out, or lie in one.
void requirePool(const Pool& pool, const char* instruction) {
  if (pool.range.address == nullptr) {
    trap({Check::ErrorBuffer4, instruction, "the TBufPool was never initialised",
          "call InitBufPool of the TPipe or of another pool first"});
  }
  for (const LocalBuffer& known : core->pools)
    if (isWithin(pool.range.address, pool.range.bytes, known.address, known.bytes)) return;
  trap({Check::InvalidStream, instruction, "the TBufPool is none that was handed out",
        "leave the members of a TBufPool alone"});
}

void keepPool(const LocalBuffer& range) {
  for (LocalBuffer& known : core->pools) {
    if (known.address != range.address) continue;
    known.bytes = std::max(known.bytes, range.bytes);
    return;
  }
  if (core->pools.size() >= poolLimit)
    trap({Check::BufferLimit, "InitBufPool", "there are too many pools", "initialise pools outside of loops"});
  core->pools.push_back(range);
}

// The next bytes of a pool.
uint8_t* allot(Pool& pool, uint32_t bytes, const char* instruction) {
  requirePool(pool, instruction);
  const uint64_t used = uint64_t(pool.used) + bytes;
  if (used > pool.range.bytes) {
    trap({Check::BufferSize, instruction,
          text("the buffers take %llu bytes of a TBufPool of %u", static_cast<unsigned long long>(used),
               pool.range.bytes),
          "give InitBufPool a larger length"});
  }
  return pool.range.address + std::exchange(pool.used, static_cast<uint32_t>(used));
}

// A pool has room for so many buffers: what follows lies on its own bookkeeping on a device.
void count(Pool& pool, uint32_t number, uint32_t limit) {
  pool.buffers += number;
  if (pool.buffers > limit)
    trap({Check::BufferLimit, "TBufPool::InitBuffer",
          text("the pool has room for %u buffers, and these make %u", limit, pool.buffers),
          "give TBufPool a larger bufIDSize as its second parameter, 16 at most"});
}

}  // namespace

BufferHandle initQueueIn(Pool& pool, TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes,
                         uint32_t limit) {
  if (depth == 0)
    trap({Check::ErrorSync3, "TBufPool::InitBuffer",
          "a queue of depth 0 waits for events of its buffers, which a pool does not set",
          "take a depth of 1 or more, or let the TPipe initialise the queue"});
  count(pool, number, limit);
  return makeQueue(src, dst, depth, number, bytes,
                   [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBuffer"); });
}

LocalBuffer initBufferIn(Pool& pool, TPosition position, uint32_t bytes, uint32_t limit) {
  count(pool, 1, limit);
  return makeBuffer(position, bytes,
                    [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBuffer"); });
}

Pool initPoolIn(Pool& pool, TPosition position, uint32_t bytes) {
  LocalBuffer range = makeBuffer(position, bytes,
                                 [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBufPool"); });
  range.buffer = 0;
  return {range, 0, 0};
}

Pool initPool(const void* pipe, TPosition position, uint32_t bytes, const Pool* shared) {
  if (shared != nullptr) {
    requirePool(*shared, "InitBufPool");
    if (bytes > shared->range.bytes) {
      trap({Check::BufferSize, "InitBufPool",
            text("the pool takes %u bytes, the one it shares memory with has %u", bytes, shared->range.bytes),
            "pass a length that is not above that of the shared pool"});
    }
    Pool pool{shared->range, 0, 0};
    pool.range.bytes = bytes;
    return pool;
  }
  checkPipe(pipe, "InitBufPool");
  Memory memory = memoryOf(position);
  uint32_t length = lengthOf(bytes, memory, "InitBufPool");
  scalarCycles(20);
  const LocalBuffer range{allot(memory, length, "InitBufPool"), length, 0};
  keepPool(range);
  return {range, 0, 0};
}

namespace {

const uint8_t* startOf(const Pool& pool, const char* instruction) {
  requirePool(pool, instruction);
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
  if (pool.range.address == nullptr) return;
  requirePool(pool, "TBufPool::Reset");
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
  // a queue between the same positions may have taken in some of them
  for (Queue& queue : core->queues) {
    const auto isGone = [&](uint16_t index) { return inside(core->buffers[index]); };
    queue.line.erase(std::remove_if(queue.line.begin(), queue.line.end(), isGone), queue.line.end());
  }
  for (Buffer& buffer : core->buffers) {
    if (!inside(buffer)) continue;
    dropFlags(buffer);
    buffer.base = nullptr;
    buffer.bytes = 0;
    buffer.state = BufferState::Plain;
  }
  // those of a queue that the kernel has yet to place stay
  const auto isFree = [](const Buffer& buffer) {
    return buffer.base == nullptr && (buffer.queue == 0 || core->queues[buffer.queue].number == 0);
  };
  while (core->buffers.size() > 1 && isFree(core->buffers.back())) core->buffers.pop_back();
  pool.used = 0;
  pool.buffers = 0;
  scalarCycles(20);
}

}  // namespace npu_emu
