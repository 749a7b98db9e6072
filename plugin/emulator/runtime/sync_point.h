// Flags and barriers between cores: who has arrived, and what those that arrived have released.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "vector_clock.h"

namespace npu_emu {

// One round of a flag or barrier: it is complete when all participants have arrived.
struct SyncRound {
  uint32_t token;  // in the traces
  CrossCoreClock released;
  std::vector<uint32_t> arrived;  // numbers of cores
  bool isOverAll = false;         // of a flag that all cores of a kind set
  uint32_t cores = 0;             // of a soft barrier: how many it waits for
};
using SyncRoundPointer = std::shared_ptr<SyncRound>;

// A flag or barrier of a set of cores. The n-th arrival of each core belongs to the n-th round.
struct SyncPoint {
  std::vector<uint32_t> participants;  // numbers of cores
  std::map<uint64_t, SyncRoundPointer> incomplete;
  std::map<uint32_t, uint64_t> arrivals;  // of each core

  // The round that the next arrival of a core belongs to.
  SyncRoundPointer arrive(uint32_t coreNumber, uint32_t& nextToken);
  // The first one that is not complete; nullptr where nobody has arrived.
  const SyncRound* firstIncomplete() const { return incomplete.empty() ? nullptr : incomplete.begin()->second.get(); }
};

// What cores have released by a word of global memory. Who reads it goes on behind all of them, in time as well.
struct Release {
  CrossCoreClock clock;
  std::map<uint32_t, uint32_t> tokens;  // in the traces: the last one of each core
  uint32_t bytes = 0;                   // of a word
  std::array<uint8_t, 64> line{};       // what a cache line held then

  void join(const Release& other);
};

}  // namespace npu_emu
