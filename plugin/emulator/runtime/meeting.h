// How cores learn of each other: who has told whom, and what is over since.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "clock.h"

namespace npu_emu {

// Instructions of each pipe of a core, and a zero: eight are compared at once.
using PipeCounts = std::array<uint32_t, 8>;
static_assert(pipeCount <= std::tuple_size<PipeCounts>::value);

// What a core knows of others: which of their instructions have ended before its own next one starts.
struct Progress {
  std::array<uint32_t, 2> barriers{};  // over all vector cores, over all cube cores: how many have been passed
  std::vector<std::pair<uint32_t, PipeCounts>> counts;  // by number of core, sorted; of cores that told of single pipes

  void join(const Progress& other);
  void raise(uint32_t coreNumber, const PipeCounts& to);
  // nullptr where nothing is known of the core.
  const PipeCounts* of(uint32_t coreNumber) const;
};

// Cores that tell each other of their progress: it has happened when all of them have come.
struct Meeting {
  uint32_t token;  // in the traces
  Progress told;
  std::vector<uint32_t> came;  // numbers of cores
};
using MeetingPointer = std::shared_ptr<Meeting>;

// The meetings of a set of cores at one flag or barrier, in order: the n-th call of each core belongs to the n-th meeting.
struct MeetingPlace {
  std::vector<uint32_t> expected;  // numbers of cores
  std::map<uint64_t, MeetingPointer> open;
  std::map<uint32_t, uint64_t> calls;  // of each core

  // The meeting that the next call of a core belongs to. It is closed by the last core to come.
  MeetingPointer enter(uint32_t coreNumber, uint32_t& nextToken);
  // The first one that has not happened; nullptr when nobody has come.
  const Meeting* pending() const { return open.empty() ? nullptr : open.begin()->second.get(); }
};

}  // namespace npu_emu
