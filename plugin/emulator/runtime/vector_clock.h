// Vector clocks: which instructions are known to have completed before another one starts (happens-before).
//
// The race detector is that of FastTrack (Flanagan and Freund, PLDI 2009) with pipes in place of threads. A pipe counts
// its instructions. The clock of a pipe has an entry for each pipe of the core: the last instruction of that pipe that
// has completed before the next one of this pipe starts. SetFlag, EnQue and FreeTensor release the clock of a pipe,
// WaitFlag, DeQue and AllocTensor acquire it: the acquiring pipe takes the greater one of each pair of entries. Shadow
// memory remembers the last accesses to local memory as epochs, "instruction n of pipe P" (n@P). An access is ordered
// after an epoch n@P if the entry P of its pipe's clock is at least n; otherwise the two race, if one of them writes.
//
// An example of three instructions on two pipes, with the entries of MTE2 and V:
//
//   step                 clock of MTE2  clock of V  shadow memory
//   DataCopy(a, x)       0 0            0 0         a: written by 1@MTE2
//   SetFlag<MTE2_V>(0)   0 0            0 0         - (the flag holds 1 0: what MTE2 knows, and its own instructions)
//   DataCopy(b, y)       0 0            0 0         b: written by 2@MTE2
//   WaitFlag<MTE2_V>(0)  0 0            1 0         -
//   Add(c, a, b)         0 0            1 0         reads a: 1@MTE2, and V knows of 1: ordered
//                                                   reads b: 2@MTE2, and V knows of 1: a race
//
// Unlike a thread, a pipe does not wait for its own instructions: its own entry grows at a PipeBarrier, or with the
// clock of a pipe that has waited for it. The scalar unit issues all instructions, so that every pipe acquires the
// clock of the scalar unit before each of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "clock.h"

namespace npu_emu {

// A count of instructions for each pipe of a core, and a zero: eight entries are compared at once.
using VectorClock = std::array<uint32_t, 8>;
static_assert(pipeCount <= std::tuple_size<VectorClock>::value);

inline void join(VectorClock& into, const VectorClock& other) {
  for (size_t i = 0; i < into.size(); ++i) into[i] = std::max(into[i], other[i]);
}

// Pipes of which `newest` has an instruction that `known` does not, one bit each.
inline uint32_t pipesBeyond(const VectorClock& newest, const VectorClock& known) {
  uint32_t pipes = 0;
  for (size_t q = 0; q < newest.size(); ++q) pipes |= newest[q] > known[q] ? 1u << q : 0;
  return pipes;
}

// What a core knows of all others. Barriers over all cores complete everything before them: they are counted, so that
// there are entries only for cores that released their clock in another way.
struct CrossCoreClock {
  double cycles = 0;                                     // by the tickers of the cores (see ticker.h)
  std::array<uint32_t, 2> barriers{};                    // passed over all vector cores, over all cube cores
  std::vector<std::pair<uint32_t, VectorClock>> clocks;  // by number of core, sorted

  void join(const CrossCoreClock& other);
  void joinCore(uint32_t coreNumber, const VectorClock& clock);
  // nullptr where nothing is known of the core but its barriers.
  const VectorClock* of(uint32_t coreNumber) const;
};

}  // namespace npu_emu
