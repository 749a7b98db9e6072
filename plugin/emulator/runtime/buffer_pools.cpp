// TBufPool: a range of local memory that hands out queues and buffers itself, or is divided by the kernel.
#include <algorithm>
#include <utility>

#include "buffers.h"
#include "issue.h"

namespace npu_emu {

namespace {

constexpr size_t poolLimit = 4096;
constexpr uint32_t unplaced = UINT32_MAX;  // the pool of buffers that the kernel has yet to place

// The memory that a pool is in. Pools are in UB and L1 only.
Memory memoryOf(const Pool& pool) {
  const auto l1 = static_cast<size_t>(Memory::L1);
  const bool isL1 = isWithin(pool.range.address, 1, core->memory[l1], core->capacity[l1]);
  return isL1 ? Memory::L1 : Memory::UB;
}

LocalBuffer wholeOf(Memory memory) {
  const auto index = static_cast<size_t>(memory);
  return {core->memory[index], core->capacity[index], 0};
}

// The kernel says where its pool is, and is not believed: it must be a range that was handed out, or lie in one, or be the
// whole memory, as after a reset.
void requirePool(const Pool& pool, const char* instruction) {
  if (pool.range.address == nullptr) {
    trap({Check::ErrorBuffer4, instruction, "the TBufPool was never initialised",
          "call InitBufPool of the TPipe or of another pool first"});
  }
  const auto lies = [&](const LocalBuffer& known) {
    return isWithin(pool.range.address, pool.range.bytes, known.address, known.bytes);
  };
  if (std::any_of(core->pools.begin(), core->pools.end(), lies) || lies(wholeOf(memoryOf(pool)))) return;
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

// A pool keeps what it knows of its buffers in places of its own, from the first one on again after a reset: those of before
// are lost then. What they have set stays set, and its id taken.
void giveUpBuffers(uint32_t pool) {
  for (Buffer& buffer : core->buffers) {
    if (buffer.pool != pool) continue;
    leaveFlags(buffer);
    if (buffer.queue != 0) {
      core->queues[buffer.queue].number = 0;
      core->queues[buffer.queue].line.clear();
    }
    buffer = {nullptr, 0, buffer.memory, BufferState::Plain, 0, {}, {}, false, {}};
  }
  // a queue between the same positions may have taken in some of them
  const auto isGone = [](uint16_t index) { return core->buffers[index].base == nullptr; };
  for (Queue& queue : core->queues)
    queue.line.erase(std::remove_if(queue.line.begin(), queue.line.end(), isGone), queue.line.end());
  // those of a queue that the kernel has yet to place stay
  const auto isFree = [](const Buffer& buffer) { return buffer.base == nullptr && buffer.queue == 0; };
  while (core->buffers.size() > 1 && isFree(core->buffers.back())) core->buffers.pop_back();
}

// A pool has room for so many buffers: what follows lies on its own bookkeeping on a device.
void count(Pool& pool, uint32_t number, uint32_t limit, Memory memory) {
  constexpr const char* instruction = "TBufPool::InitBuffer";
  requirePool(pool, instruction);
  if (memory != memoryOf(pool))
    trap({Check::ErrorBuffer3, instruction,
          text("the pool is in %s, and what it is to initialise in %s", nameOf(memoryOf(pool)), nameOf(memory)),
          "give the TBufPool a position in the memory of its queues and buffers"});
  if (std::exchange(pool.wasReset, false)) giveUpBuffers(pool.id);
  pool.buffers += number;
  if (pool.buffers > limit)
    trap({Check::BufferLimit, instruction,
          text("the pool has room for %u buffers, and these make %u", limit, pool.buffers),
          "give TBufPool a larger bufIDSize as its second parameter, 16 at most"});
}

Pool newPool(const LocalBuffer& range) { return {range, 0, 0, ++core->poolIds, false}; }

}  // namespace

BufferHandle initQueueIn(Pool& pool, TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes,
                         uint32_t limit) {
  count(pool, number, limit, memoryOfQueue(src, dst));
  return makeQueue(src, dst, depth, number, bytes, pool.id,
                   [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBuffer"); });
}

LocalBuffer initBufferIn(Pool& pool, TPosition position, uint32_t bytes, uint32_t limit) {
  count(pool, 1, limit, memoryOf(position));
  return makeBuffer(position, bytes, pool.id,
                    [&](Memory, uint32_t length) { return allot(pool, length, "TBufPool::InitBuffer"); });
}

Pool initPoolIn(Pool& pool, TPosition position, uint32_t bytes) {
  const uint32_t length = lengthOf(bytes, memoryOf(position), "TBufPool::InitBufPool");
  scalarCycles(20);
  return newPool({allot(pool, length, "TBufPool::InitBufPool"), length, 0});
}

// Two that share memory share its length too.
Pool initPool(const void* pipe, TPosition position, uint32_t bytes, const Pool* shared) {
  if (shared != nullptr) {
    requirePool(*shared, "InitBufPool");
    if (bytes > shared->range.bytes) {
      trap({Check::BufferSize, "InitBufPool",
            text("the pool takes %u bytes, the one it shares memory with has %u", bytes, shared->range.bytes),
            "pass a length that is not above that of the shared pool"});
    }
    return newPool(shared->range);
  }
  checkPipe(pipe, "InitBufPool");
  Memory memory = memoryOf(position);
  uint32_t length = lengthOf(bytes, memory, "InitBufPool");
  scalarCycles(20);
  const LocalBuffer range{allot(memory, length, "InitBufPool"), length, 0};
  keepPool(range);
  return newPool(range);
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

Buffer& bufferOf(BufferHandle handle, uint32_t index) {
  Queue& queue = queueAt(handle, "InitBufHandle");
  if (index >= queue.number) {
    trap({Check::ParameterRange, "InitBufHandle", text("the queue has no buffer %u of %u", index, queue.number),
          "place as many buffers as InitStartBufHandle says"});
  }
  return core->buffers[queue.first + index];
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
  return makeQueue(src, dst, depth, number, bytes, unplaced,
                   [](Memory, uint32_t) { return static_cast<uint8_t*>(nullptr); });
}

void placeBuffer(BufferHandle handle, uint32_t index, const Pool& pool, uint32_t address, uint32_t bytes) {
  Buffer& buffer = bufferOf(handle, index);
  const uint32_t length = bytes == 0 ? 0 : lengthOf(bytes, buffer.memory, "InitBufHandle");
  buffer.base = placeIn(pool, address, length);
  buffer.bytes = length;
  buffer.pool = pool.id;
}

LocalBuffer bufferAt(TPosition position, const Pool& pool, uint32_t address, uint32_t bytes) {
  return makeBuffer(position, bytes, pool.id, [&](Memory, uint32_t length) { return placeIn(pool, address, length); });
}

// Afterwards the pool begins where its memory does, and has no end of its own.
void resetPool(Pool& pool, bool keepsBuffers) {
  if (pool.range.address == nullptr) return;
  requirePool(pool, "TBufPool::Reset");
  if (pool.buffers != 0) waitForFreedTensors(pool.id);
  if (!keepsBuffers) giveUpBuffers(pool.id);
  pool.range = wholeOf(memoryOf(pool));
  pool.used = pool.buffers = 0;
  pool.wasReset = true;
  scalarCycles(20);
}

}  // namespace npu_emu
