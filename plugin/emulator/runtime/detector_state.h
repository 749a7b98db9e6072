// What the race detector of one core keeps in vectors. The next core takes them over, emptied, to allocate nothing
// anew.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "access.h"
#include "vector_clock.h"

namespace npu_emu {

struct DetectorState {
  // An access to global memory, or rows of one copy.
  struct RecentAccess {
    GmRows rows;
    uint32_t count;  // of the instruction on its pipe
    bool write;
    AtomicKind atomic;
  };
  std::vector<VectorClock> flags;                           // released clocks by token; zeros where none was
  std::vector<LocalAccess> local;                           // of the next instruction
  std::vector<GmAccess> global;                             // of the next instruction
  std::array<std::vector<RecentAccess>, pipeCount> recent;  // of the core to global memory, by pipe
  // Of the propagation of valid bytes, while one instruction is looked at:
  std::vector<const LocalAccess*> invalidSources;  // operands with invalid bytes, or that may have some
  std::vector<uint64_t> invalidResults;            // bytes of the target that are computed from such, one bit each

  void clear() {
    flags.clear();
    local.clear();
    global.clear();
    for (auto& accesses : recent) accesses.clear();
  }
};

}  // namespace npu_emu
