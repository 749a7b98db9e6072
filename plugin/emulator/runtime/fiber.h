// Stackful coroutines: a core that waits for others hands the thread over. Deterministic, single-threaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace npu_emu {

struct Fiber {
  void* stackPointer = nullptr;
  uint8_t* stack = nullptr;  // lowest address, guard page included
  size_t stackBytes = 0;
};

// Maps a stack with a guard page below it. Throws std::bad_alloc when there is no memory.
void createFiber(Fiber& fiber);
void destroyFiber(Fiber& fiber);

// Variables without a value tell a kernel that runs there next of nothing that has run there before.
void emptyStack(Fiber& fiber);

// Makes the next resume start `run(argument)`; what ran there before is abandoned, never unwound.
void prepareFiber(Fiber& fiber, void (*run)(void*), void* argument);

// Both return when the other side switches back.
void resumeFiber(Fiber& fiber);
void leaveFiber(Fiber& fiber);

}  // namespace npu_emu
