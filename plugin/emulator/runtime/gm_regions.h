// The allocations in global memory of the launch that is running.
#pragma once

#include <cstddef>
#include <cstdint>

#include "launch.h"

namespace npu_emu {

// The region an address lies in, its 512-byte pad included; nullptr outside of all.
GmRegion* regionAt(const uint8_t* address);

// Bytes up to which a region may be touched: allocations are padded to 512 bytes.
size_t paddedBytes(const GmRegion& region);

}  // namespace npu_emu
