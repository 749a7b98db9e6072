// How a core waits for others, and how clocks are released and acquired between cores.
#pragma once

#include "core.h"

namespace npu_emu {

// The running core stops until what it waits for has happened.
void waitFor(CrossWait wait);
// Cores run one after the other: who polls lets the others run.
void letOthersRun(const char* instruction);
// Stores of the scalar unit are seen before what the running core does next.
void landStores();
// The others run at once, whatever the order.
void letOthersGoOn(const char* instruction);
// Whether the flags that a core waits for are there: those of a soft barrier, and of the blocks before it.
bool haveCome(const CrossWait& wait);
bool isTurn(const CrossWait& wait);
// The clock that the running core releases to others: what it knows of them, and `own` of itself.
CrossCoreClock releaseClock(const VectorClock& own);
// What who looks at these bytes past its cache acquires from now on, in place of what was told by words within them.
void releaseWord(const uint8_t* address, uint32_t bytes, Release release);
// The running core acquires a clock that others have released.
void acquire(const CrossCoreClock& released);

}  // namespace npu_emu
