#include "gm_regions.h"

#include <algorithm>

#include "device.h"

namespace npu_emu {

size_t paddedBytes(const GmRegion& region) {
  constexpr size_t pad = 512;
  return (region.bytes + pad - 1) / pad * pad;
}

GmRegion* regionAt(const uint8_t* address) {
  // an index, since the regions of the next launch may lie over those of the last one, shifted by a part of a region
  static size_t last = 0;
  GmRegion* begin = device.regions.data();
  GmRegion* end = begin + device.regions.size();
  auto holds = [&](const GmRegion* region) {
    return address >= region->base && address < region->base + paddedBytes(*region);
  };
  if (last < device.regions.size() && holds(begin + last)) return begin + last;
  GmRegion* next =
      std::upper_bound(begin, end, address, [](const uint8_t* a, const GmRegion& r) { return a < r.base; });
  if (next == begin || !holds(next - 1)) return nullptr;
  last = static_cast<size_t>(next - 1 - begin);
  return next - 1;
}

}  // namespace npu_emu
