#include "l2_cache.h"

#include <algorithm>
#include <cstdlib>

namespace npu_emu {

namespace {

constexpr uint64_t lineBytes = 512, sectorBytes = 128;

double countOf(uint8_t sectors) { return __builtin_popcount(sectors); }

// The sectors of a line that bytes lie in, counted from its start.
uint8_t sectorsOf(uint64_t begin, uint64_t end) {
  const auto upTo = [](uint64_t sector) { return (1u << sector) - 1; };
  return static_cast<uint8_t>(upTo((end + sectorBytes - 1) / sectorBytes) & ~upTo(begin / sectorBytes));
}

}  // namespace

L2Cache::L2Cache(const std::vector<GmRegion>& regions, uint64_t capacityBytes, double writtenThrough)
    : capacity_(static_cast<uint32_t>(capacityBytes / lineBytes)), writtenThrough_(writtenThrough) {
  for (const GmRegion& region : regions) {
    // pages that nothing uses take no memory
    void* lines = std::calloc(region.bytes / lineBytes + 2, sizeof(Line));
    if (lines == nullptr) std::abort();
    regions_.push_back({region.base, region.base + region.bytes + lineBytes, {static_cast<Line*>(lines), [](void* all) {
                                                                                free(all);
                                                                              }}});
  }
}

L2Cache::Region* L2Cache::regionOf(const uint8_t* address) {
  const auto holds = [&](const Region& region) { return address >= region.begin && address < region.end; };
  if (last_ < regions_.size() && holds(regions_[last_])) return &regions_[last_];
  const auto found = std::find_if(regions_.begin(), regions_.end(), holds);
  if (found == regions_.end()) return nullptr;
  last_ = static_cast<size_t>(found - regions_.begin());
  return &*found;
}

void L2Cache::useRow(Region& region, uint64_t begin, uint64_t end, Use use, Served& served) {
  for (uint64_t number = begin / lineBytes; number * lineBytes < end; ++number) {
    Line& line = region.lines[number];
    const uint64_t start = number * lineBytes, from = std::max(begin, start) - start,
                   to = std::min(end, start + lineBytes) - start;
    const uint8_t wanted = sectorsOf(from, to);
    if (line.used == 0 || entered_ - line.used >= capacity_) {
      line = {0, 0, false};
      ++entered_;
    }
    line.used = entered_;
    if (use.isWrite) {
      // what is added to has to be there; what is there already is no further transfer
      if (use.isRead) served.hbm += countOf(wanted & ~line.sectors) * sectorBytes;
      const double bytes = countOf(wanted) * sectorBytes;
      const double through = line.isDirty ? 0 : bytes * writtenThrough_;
      served.hbm += through;
      served.l2 += bytes - through;
      line.isDirty = true;
    } else {
      served.hbm += countOf(wanted & ~line.sectors) * sectorBytes;
      served.l2 += countOf(wanted & line.sectors) * sectorBytes;
    }
    line.sectors |= wanted;
  }
}

Served L2Cache::use(const Transfer& transfer, bool isWrite, bool isRead) {
  Served served;
  for (uint64_t row = 0; row < transfer.rows; ++row) {
    const uint8_t* address = transfer.address + row * transfer.distance;
    Region* region = regionOf(address);
    if (region == nullptr) {
      served.hbm += transfer.rowBytes;
      continue;
    }
    const auto begin = static_cast<uint64_t>(address - region->begin);
    const auto end = std::min<uint64_t>(begin + transfer.rowBytes, static_cast<uint64_t>(region->end - region->begin));
    useRow(*region, begin, end, {isWrite, isRead}, served);
  }
  return served;
}

}  // namespace npu_emu
