#include "meeting.h"

#include <algorithm>

namespace npu_emu {

namespace {

void raiseTo(PipeCounts& counts, const PipeCounts& to) {
  for (size_t i = 0; i < counts.size(); ++i) counts[i] = std::max(counts[i], to[i]);
}

auto placeOf(std::vector<std::pair<uint32_t, PipeCounts>>& counts, uint32_t coreNumber) {
  return std::lower_bound(counts.begin(), counts.end(), coreNumber,
                          [](const auto& entry, uint32_t number) { return entry.first < number; });
}

}  // namespace

void Progress::raise(uint32_t coreNumber, const PipeCounts& to) {
  auto place = placeOf(counts, coreNumber);
  if (place == counts.end() || place->first != coreNumber) counts.insert(place, {coreNumber, to});
  else raiseTo(place->second, to);
}

const PipeCounts* Progress::of(uint32_t coreNumber) const {
  auto place = std::lower_bound(counts.begin(), counts.end(), coreNumber,
                                [](const auto& entry, uint32_t number) { return entry.first < number; });
  return place == counts.end() || place->first != coreNumber ? nullptr : &place->second;
}

void Progress::join(const Progress& other) {
  for (size_t kind = 0; kind < barriers.size(); ++kind) barriers[kind] = std::max(barriers[kind], other.barriers[kind]);
  for (const auto& [number, known] : other.counts) raise(number, known);
}

MeetingPointer MeetingPlace::enter(uint32_t coreNumber, uint32_t& nextToken) {
  uint64_t call = calls[coreNumber]++;
  MeetingPointer& slot = open[call];
  if (slot == nullptr) slot = std::make_shared<Meeting>(Meeting{nextToken++, {}, {}});
  MeetingPointer meeting = slot;
  meeting->came.push_back(coreNumber);
  if (meeting->came.size() == expected.size()) open.erase(call);
  return meeting;
}

}  // namespace npu_emu
