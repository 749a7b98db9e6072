// How long the basic blocks of a kernel are.
#pragma once

#include <cstdint>

namespace npu_emu {

// Bytes of code from an address, to which the call at the start of a block returns, to the next such call or to the end of
// the function. The block is noted as reached.
uint32_t codeBytesFrom(const void* returnAddress);

}  // namespace npu_emu
