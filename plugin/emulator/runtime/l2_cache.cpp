#include "l2_cache.h"

#include <algorithm>
#include <cstdlib>

namespace npu_emu {

namespace {

constexpr uint64_t lineBytes = 512, sectorBytes = 128;

uint32_t countOf(unsigned sectors) { return static_cast<uint32_t>(__builtin_popcount(sectors)); }

// The sectors of a line that bytes lie in, counted from its start.
uint8_t sectorsOf(uint64_t begin, uint64_t end) {
  const auto upTo = [](uint64_t sector) { return (1u << sector) - 1; };
  return static_cast<uint8_t>(upTo((end + sectorBytes - 1) / sectorBytes) & ~upTo(begin / sectorBytes));
}

// Lines by number, with the sectors that bytes lie in.
template <typename Visit>
inline void forEachLine(uint64_t begin, uint64_t end, Visit visit) {
  constexpr uint8_t all = (1u << lineBytes / sectorBytes) - 1;
  uint64_t number = begin / lineBytes;
  const uint64_t last = (end - 1) / lineBytes;
  uint64_t from = begin % lineBytes;
  for (; number < last; ++number, from = 0) visit(number, from < sectorBytes ? all : sectorsOf(from, lineBytes));
  visit(number, sectorsOf(from, end - last * lineBytes));
}

}  // namespace

L2Cache::L2Cache(const std::vector<GmRegion>& regions, uint64_t capacityBytes, double writtenThrough)
    : capacity_(static_cast<uint32_t>(capacityBytes / lineBytes)), writtenThrough_(writtenThrough) {
  for (const GmRegion& region : regions) {
    // pages that nothing uses take no memory
    void* lines = std::calloc(region.bytes / lineBytes + 2, sizeof(Line));
    if (lines == nullptr) std::abort();
    regions_.push_back({region.base,
                        region.base + region.bytes + lineBytes,
                        region.bypassesL2(),
                        {static_cast<Line*>(lines), [](void* all) { free(all); }}});
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

// The line is the one that was used last. Those that have not been for as long as the cache has room are not in it.
inline L2Cache::Line& L2Cache::enter(Line& line) {
  if (line.used == 0 || entered_ - line.used >= capacity_) {
    line = {0, 0, 0};
    ++entered_;
  }
  line.used = entered_;
  return line;
}

void L2Cache::read(Region& region, uint64_t begin, uint64_t end, Served& served) {
  uint32_t fetched = 0, held = 0;
  forEachLine(begin, end, [&](uint64_t number, uint8_t wanted) {
    Line& line = enter(region.lines[number]);
    fetched += countOf(wanted & ~line.sectors);
    held += countOf(wanted & line.sectors);
    line.sectors |= wanted;
  });
  served.hbm += double(fetched) * sectorBytes;
  served.l2 += double(held) * sectorBytes;
}

// What is added to has to be there; what is there already is no further transfer.
void L2Cache::write(Region& region, uint64_t begin, uint64_t end, bool isRead, Served& served) {
  forEachLine(begin, end, [&](uint64_t number, uint8_t wanted) {
    Line& line = enter(region.lines[number]);
    if (isRead) served.hbm += countOf(wanted & ~line.sectors) * sectorBytes;
    const double through = countOf(wanted & ~line.dirty) * sectorBytes * writtenThrough_;
    served.hbm += through;
    served.l2 += countOf(wanted) * sectorBytes - through;
    line.dirty |= wanted;
    line.sectors |= wanted;
  });
}

Served L2Cache::use(const Transfer& transfer, bool isWrite, bool isRead) {
  Served served;
  uint64_t sectorsPassed = 0;  // of what goes around the cache: rows that meet in a sector have it once
  for (uint64_t row = 0; row < transfer.rows; ++row) {
    const uint8_t* address = transfer.address + row * transfer.distance;
    Region* region = regionOf(address);
    if (region == nullptr) {
      served.hbm += transfer.rowBytes;
      continue;
    }
    const auto begin = static_cast<uint64_t>(address - region->begin);
    const auto end = std::min<uint64_t>(begin + transfer.rowBytes, static_cast<uint64_t>(region->end - region->begin));
    if (begin == end) continue;
    if (region->isBypassed) {
      const uint64_t first = begin / sectorBytes, behind = (end - 1) / sectorBytes + 1;
      served.hbm += double(behind - std::min(behind, std::max(first, sectorsPassed))) * sectorBytes;
      sectorsPassed = behind;
      continue;
    }
    if (isWrite) write(*region, begin, end, isRead, served);
    else read(*region, begin, end, served);
  }
  return served;
}

}  // namespace npu_emu
