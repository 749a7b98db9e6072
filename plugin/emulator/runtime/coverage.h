// Which bytes of the tensors of a case a kernel has read and written, by cells of 32 bytes: what its outputs can follow from.
#pragma once

#include <cstdint>
#include <vector>

#include "launch.h"

namespace npu_emu {

// Of one tensor; a bit for each cell.
struct CoveredCells {
  std::vector<uint64_t> read, written;
};

// Gives every tensor of the launch cells of its own.
void beginCoverage();

// An instruction reads or writes bytes of a region, from an address on. Atomic writes read as well.
void cover(const GmRegion& region, const uint8_t* address, uint64_t bytes, bool write, bool atomic);

// What has been touched of each tensor so far.
std::vector<TensorCoverage> coverageOfTensors();

}  // namespace npu_emu
