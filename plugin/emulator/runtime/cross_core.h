// How a core waits for others, and how clocks are released and acquired between cores.
#pragma once

#include "core.h"

namespace npu_emu {

// The running core stops until what it waits for has happened.
void waitFor(CrossWait wait);
// Cores run one after the other: who polls lets the others run.
void letOthersRun(const char* instruction);
// The clock that the running core releases to others: what it knows of them, and `own` of itself.
CrossCoreClock releaseClock(const VectorClock& own);
// The running core acquires a clock that others have released.
void acquire(const CrossCoreClock& released);
// Leaves a record for the emulated clock: the core arrives at a round, or waits for its end.
void recordSync(TraceEntry::Kind kind, Pipe pipe, uint32_t token);

}  // namespace npu_emu
