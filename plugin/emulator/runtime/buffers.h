// What queues, buffers and pools of a core share.
#pragma once

#include <functional>

#include "device.h"

namespace npu_emu {

// Hands out so many bytes of a memory.
using Allotment = std::function<uint8_t*(Memory memory, uint32_t bytes)>;

// A queue or a buffer in the memory that `allot` hands out.
BufferHandle makeQueue(TPosition src, TPosition dst, int32_t depth, uint8_t number, uint32_t bytes,
                       const Allotment& allot);
LocalBuffer makeBuffer(TPosition position, uint32_t bytes, const Allotment& allot);

// The next bytes of a memory; reports where it has not as many.
uint8_t* allot(Memory memory, uint32_t bytes, const char* instruction);
// A length in whole blocks; traps where it is none.
uint32_t lengthOf(uint64_t bytes, Memory memory, const char* instruction);

// Each TPipe hands out memory from its start: reports where two of them hand out the same.
void checkPipe(const void* pipe, const char* instruction);

// Traps where the queue was never initialised, or its pool was reset.
Queue& queueAt(BufferHandle handle, const char* instruction);

inline LocalBuffer localOf(uint16_t index) {
  const Buffer& buffer = core->buffers[index];
  return {buffer.base, buffer.bytes, index};
}

}  // namespace npu_emu
