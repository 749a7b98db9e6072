// Shadow of the local memories of a core. One core after the other uses the same memories and their shadow.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "access.h"
#include "access_history.h"
#include "detector_state.h"
#include "leftovers.h"
#include "unused_loads.h"
#include "valid_bytes.h"
#include "vector_clock.h"

namespace npu_emu {

struct LocalShadow {
  std::array<std::array<AccessHistory, pipeCount>, memoryCount> writes{}, reads{};
  // Highest epochs of these histories: looked at for every access, so they are kept close together.
  std::array<VectorClock, memoryCount> newestWrites{}, newestReads{};
  VectorClock issued{};  // instructions of each pipe so far: not reset from one core to the next
  static constexpr size_t siteCount = 1024;
  std::array<std::array<Site, siteCount>, pipeCount> sites;  // of the latest instructions, by count
  DetectorState idleState;                                   // while no core has it
  ValidBytes valid;
  UnusedLoads unusedLoads;
  Leftovers leftovers;  // in the other memories

  explicit LocalShadow(const std::array<uint32_t, memoryCount>& capacity);
  ~LocalShadow();
  LocalShadow(const LocalShadow&) = delete;
  LocalShadow& operator=(const LocalShadow&) = delete;

  Site& siteOf(size_t pipe, uint32_t count) { return sites[pipe][count % siteCount]; }
  // Whether the site of an instruction has not been overwritten by that of a later one.
  bool hasSiteOf(size_t pipe, uint32_t count) const { return issued[pipe] - count < siteCount; }
  // All counts start again from zero.
  void restart();

 private:
  void* area_ = nullptr;  // of all histories
  size_t areaBytes_ = 0;
};

}  // namespace npu_emu
