// Which basic blocks of its code a kernel has reached, as its own process notes it. Nothing that is judged follows from it.
#pragma once

#include <cstdint>
#include <unordered_set>

namespace npu_emu {

struct ReachedBlocks {
  uint32_t launch = 0;  // counts them: a block that an earlier one has reached is not reached yet
  // By the address to which the call at the start of a block returns.
  std::unordered_set<const void*> blocks;
};

extern ReachedBlocks reachedBlocks;

// Forgets those of the launch before.
void beginReachedBlocks();

}  // namespace npu_emu
