// Who has written some bytes of global memory last: asked of a launch that repeats one whose outputs are wrong there.
#pragma once

#include <cstdint>
#include <vector>

#include "call_path.h"
#include "launch.h"

namespace npu_emu {

struct WatchedWrites {
  WatchedBytes bytes;
  LastWrite last;
};

// The running core writes there by an instruction: what is watched of it was written by this one last.
void noteWrite(const char* instruction, const uint8_t* address, uint64_t bytes, bool isAtomic);

// By what is watched, in the order in which it was asked for.
std::vector<LastWrite> lastWrites();

}  // namespace npu_emu
