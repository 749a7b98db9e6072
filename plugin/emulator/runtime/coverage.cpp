#include "coverage.h"

#include <algorithm>

#include "bit_set.h"
#include "device.h"
#include "instruction_stream.h"

namespace npu_emu {

namespace {

// Bytes of the cells that are set; the last cell of a tensor may be cut.
uint64_t bytesOf(const std::vector<uint64_t>& cells, uint64_t bytes) {
  uint64_t set = 0;
  for (uint64_t word : cells) set += static_cast<uint64_t>(__builtin_popcountll(word));
  const uint64_t last = (bytes - 1) / cellBytes;
  const uint64_t missing = (last + 1) * cellBytes - bytes;
  return set * cellBytes - ((cells[last / 64] >> (last % 64) & 1) != 0 ? missing : 0);
}

}  // namespace

void beginCoverage() {
  device.coverage.clear();
  if (isIssuing()) return;  // the process of the kernel: what it finds out about that is nobody's concern
  for (GmRegion& region : device.regions) {
    region.coverage = GmRegion::notCovered;
    if (region.use != GmRegion::Tensor || region.bytes == 0) continue;
    region.coverage = static_cast<uint32_t>(device.coverage.size());
    const std::vector<uint64_t> none(region.bytes / cellBytes / 64 + 1);
    device.coverage.push_back({none, none});
  }
}

void cover(const GmRegion& region, const uint8_t* address, uint64_t bytes, bool write, bool atomic) {
  if (region.coverage == GmRegion::notCovered) return;
  const auto begin = static_cast<uint64_t>(address - region.base),
             end = std::min<uint64_t>(begin + bytes, region.bytes);
  if (begin >= end) return;  // in the pad
  const auto first = static_cast<uint32_t>(begin / cellBytes);
  const auto last = static_cast<uint32_t>((end + cellBytes - 1) / cellBytes);
  CoveredCells& cells = device.coverage[region.coverage];
  if (write) setBits(cells.written, first, last, true);
  if (!write || atomic) setBits(cells.read, first, last, true);
}

std::vector<TensorCoverage> coverageOfTensors() {
  std::vector<TensorCoverage> tensors;
  for (const GmRegion& region : device.regions) {
    if (region.coverage == GmRegion::notCovered) continue;
    const CoveredCells& cells = device.coverage[region.coverage];
    tensors.push_back(
        {region.base, region.bytes, bytesOf(cells.read, region.bytes), bytesOf(cells.written, region.bytes)});
  }
  return tensors;
}

}  // namespace npu_emu
