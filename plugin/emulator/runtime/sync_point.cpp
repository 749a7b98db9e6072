#include "sync_point.h"

namespace npu_emu {

MeetingPointer MeetingPlace::enter(uint32_t coreNumber, uint32_t& nextToken) {
  const uint64_t number = arrivals[coreNumber]++;
  MeetingPointer& slot = open[number];
  if (slot == nullptr) slot = std::make_shared<Meeting>(Meeting{nextToken++, {}, {}});
  MeetingPointer round = slot;
  round->came.push_back(coreNumber);
  if (round->came.size() == expected.size()) open.erase(number);
  return round;
}

}  // namespace npu_emu
