// What a core tells others and learns from them, and how it waits for them.
#pragma once

#include "core.h"

namespace npu_emu {

// The running core stops until what it waits for has come.
void waitFor(CrossWait wait);
// Cores run one after the other: who polls lets the others go on.
void letOthersRun(const char* instruction);
// What the core knows of others, and of itself: what is over when it tells.
Progress progressWith(const PipeCounts& own);
void learn(const Progress& told);

}  // namespace npu_emu
