// Flags and barriers between cores: who has came, and what those that came have told.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "vector_clock.h"

namespace npu_emu {

// One round of a flag or barrier: it is complete when all expected have came.
struct Meeting {
  uint32_t token;  // in the traces
  CrossCoreClock told;
  std::vector<uint32_t> came;  // numbers of cores
};
using MeetingPointer = std::shared_ptr<Meeting>;

// A flag or barrier of a set of cores. The n-th arrival of each core belongs to the n-th round.
struct MeetingPlace {
  std::vector<uint32_t> expected;  // numbers of cores
  std::map<uint64_t, MeetingPointer> open;
  std::map<uint32_t, uint64_t> arrivals;  // of each core

  // The round that the next arrival of a core belongs to.
  MeetingPointer enter(uint32_t coreNumber, uint32_t& nextToken);
  // The first one that is not complete; nullptr where nobody has came.
  const Meeting* firstIncomplete() const { return open.empty() ? nullptr : open.begin()->second.get(); }
};

}  // namespace npu_emu
