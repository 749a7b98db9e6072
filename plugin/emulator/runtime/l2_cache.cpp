#include "l2_cache.h"

#include <algorithm>
#include <cstddef>
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
    line = {};
    ++entered_;
  }
  line.used = entered_;
  return line;
}

// Neighbouring lines are mostly brought by the same few.
void L2Cache::await(Fetch fetch, Use& use) const {
  constexpr std::ptrdiff_t recent = 4;
  const auto end = use.awaited.end(), begin = end - std::min(recent, end - use.awaited.begin());
  if (std::find(begin, end, fetch) == end) use.awaited.push_back(fetch);
}

// What is not there is fetched. What another transfer is fetching is there when that has ended.
inline void L2Cache::bring(Line& line, uint8_t wanted, Use& use) {
  for (unsigned left = wanted & line.fetched; left != 0; left &= left - 1) {
    const int sector = __builtin_ctz(left);
    const Fetch fetch = line.fetches[sector];
    if (fetch == use.fetch) continue;
    if (isUnderWay(fetch)) await(fetch, use);
    else line.fetched &= static_cast<uint8_t>(~(1u << sector));
  }
  const unsigned missing = wanted & ~line.sectors;
  if (missing == 0) return;
  use.served.hbm += countOf(missing) * sectorBytes;
  for (unsigned left = missing; left != 0; left &= left - 1) line.fetches[__builtin_ctz(left)] = use.fetch;
  line.fetched |= static_cast<uint8_t>(missing);
  line.sectors |= static_cast<uint8_t>(missing);
}

void L2Cache::read(Region& region, uint64_t begin, uint64_t end, Use& use) {
  uint32_t held = 0;
  forEachLine(begin, end, [&](uint64_t number, uint8_t wanted) {
    Line& line = enter(region.lines[number]);
    held += countOf(wanted & line.sectors);
    bring(line, wanted, use);
  });
  use.served.l2 += double(held) * sectorBytes;
}

// What is added to has to be there; what is there already is no further transfer.
void L2Cache::write(Region& region, uint64_t begin, uint64_t end, bool isRead, Use& use) {
  forEachLine(begin, end, [&](uint64_t number, uint8_t wanted) {
    Line& line = enter(region.lines[number]);
    if (isRead) bring(line, wanted, use);
    else line.fetched &= static_cast<uint8_t>(~wanted);
    const double through = countOf(wanted & ~line.dirty) * sectorBytes * writtenThrough_;
    use.served.hbm += through;
    use.served.l2 += countOf(wanted) * sectorBytes - through;
    line.dirty |= wanted;
    line.sectors |= wanted;
  });
}

Fetch L2Cache::begin() {
  underWay_.push_back(true);
  return ended_ + static_cast<Fetch>(underWay_.size());
}

void L2Cache::end(Fetch fetch) {
  if (!isUnderWay(fetch)) return;
  underWay_[fetch - ended_ - 1] = false;
  for (; !underWay_.empty() && !underWay_.front(); ++ended_) underWay_.pop_front();
}

void L2Cache::endAll() {
  ended_ += static_cast<Fetch>(underWay_.size());
  underWay_.clear();
}

Served L2Cache::use(const Transfer& transfer, bool isWrite, bool isRead, Fetch fetch, std::vector<Fetch>& awaited) {
  Use use{{}, fetch, awaited};
  Served& served = use.served;
  // of what goes around the cache: a sector in which a row ends and the next one begins comes once
  uint64_t last = 0, lastEnd = 0;
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
      const bool meets = row > 0 && first == last && begin >= lastEnd;
      served.hbm += double(behind - first - (meets ? 1 : 0)) * sectorBytes;
      last = behind - 1;
      lastEnd = end;
      continue;
    }
    if (isWrite) write(*region, begin, end, isRead, use);
    else read(*region, begin, end, use);
  }
  return served;
}

}  // namespace npu_emu
