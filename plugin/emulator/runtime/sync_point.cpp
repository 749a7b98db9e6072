#include "sync_point.h"

#include <algorithm>

namespace npu_emu {

SyncRoundPointer SyncPoint::arrive(uint32_t coreNumber, uint32_t& nextToken) {
  const uint64_t number = arrivals[coreNumber]++;
  SyncRoundPointer& slot = incomplete[number];
  if (slot == nullptr) slot = std::make_shared<SyncRound>(SyncRound{nextToken++, {}, {}});
  SyncRoundPointer round = slot;
  round->arrived.push_back(coreNumber);
  if (round->arrived.size() == participants.size()) incomplete.erase(number);
  return round;
}

void Release::join(const Release& other) {
  clock.join(other.clock);
  for (const auto& [core, token] : other.tokens) tokens[core] = std::max(tokens[core], token);
}

}  // namespace npu_emu
