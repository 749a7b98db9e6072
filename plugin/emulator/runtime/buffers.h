// What queues, buffers and pools of a core share.
#pragma once

#include <functional>

#include "device.h"

namespace npu_emu {

// Hands out so many bytes of a memory.
using Allotment = std::function<uint8_t*(Memory memory, uint32_t bytes)>;

// A queue or a buffer in the memory that `allot` hands out, of the pool with that id or, where it is 0, of the TPipe.
BufferHandle makeQueue(TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes, uint32_t pool,
                       const Allotment& allot);
LocalBuffer makeBuffer(TPosition position, uint32_t bytes, uint32_t pool, const Allotment& allot);

// Where the tensors of a queue are.
Memory memoryOfQueue(TPosition src, TPosition dst);
// What a queue is called by: its local end, and that where the tensors are if both ends are local.
TPosition positionOf(const Queue& queue);

// The next bytes of a memory; reports where it has not as many.
uint8_t* allot(Memory memory, uint32_t bytes, const char* instruction);
// A length in whole blocks; traps where it is none.
uint32_t lengthOf(uint64_t bytes, Memory memory, const char* instruction);

// Each TPipe hands out memory from its start: reports where two of them hand out the same.
void checkPipe(const void* pipe, const char* instruction);

// Traps where the queue was never initialised, or its pool has given its buffers to others.
Queue& queueAt(BufferHandle handle, const char* instruction);

// Waits for the tensors that were freed, as a TPipe and a pool do at their end: those of a pool leave their ids taken.
void waitForFreedTensors(uint32_t pool);
// What a buffer that is forgotten has set stays set: its pool still waits for it, and nobody for a tensor that was in a queue.
void leaveFlags(const Buffer& buffer);
// The flag that AllocTensor of a freed buffer waits for.
EventPipes pipesOfReuse(const Buffer& buffer);

inline LocalBuffer localOf(uint16_t index) {
  const Buffer& buffer = core->buffers[index];
  return {buffer.base, buffer.bytes, index};
}

}  // namespace npu_emu
