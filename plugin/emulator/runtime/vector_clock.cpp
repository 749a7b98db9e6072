#include "vector_clock.h"

namespace npu_emu {

namespace {

template <typename Clocks>
auto placeOf(Clocks& clocks, uint32_t coreNumber) {
  return std::lower_bound(clocks.begin(), clocks.end(), coreNumber,
                          [](const auto& entry, uint32_t number) { return entry.first < number; });
}

}  // namespace

void CrossCoreClock::joinCore(uint32_t coreNumber, const VectorClock& clock) {
  auto place = placeOf(clocks, coreNumber);
  if (place == clocks.end() || place->first != coreNumber) clocks.insert(place, {coreNumber, clock});
  else npu_emu::join(place->second, clock);
}

const VectorClock* CrossCoreClock::of(uint32_t coreNumber) const {
  auto place = placeOf(clocks, coreNumber);
  return place == clocks.end() || place->first != coreNumber ? nullptr : &place->second;
}

void CrossCoreClock::join(const CrossCoreClock& other) {
  cycles = std::max(cycles, other.cycles);
  for (size_t kind = 0; kind < barriers.size(); ++kind) barriers[kind] = std::max(barriers[kind], other.barriers[kind]);
  for (const auto& [number, clock] : other.clocks) joinCore(number, clock);
}

}  // namespace npu_emu
