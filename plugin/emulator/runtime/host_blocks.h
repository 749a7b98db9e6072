// Which basic blocks of its code a host part has reached, as its own process notes it. Nothing that is judged follows from it.
#pragma once

#include <cstdint>
#include <vector>

namespace npu_emu::host {

// Where the calls at the start of these blocks return to, from the begin of the library, in order. Blocks that ran while it
// was loaded are among them, unless they were forgotten.
std::vector<uint64_t> reachedBlocks();

// What follows is another request: it has not reached what the one before has.
void forgetReachedBlocks();

}  // namespace npu_emu::host
