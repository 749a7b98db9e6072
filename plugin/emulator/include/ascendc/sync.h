// Synchronisation inside a core and between cores.
#pragma once

#include "pipe.h"

namespace AscendC {

template <HardEvent event>
inline void SetFlag(int32_t eventID) {
  npu_emu::setFlag(event, eventID);
}
template <HardEvent event>
inline void WaitFlag(int32_t eventID) {
  npu_emu::waitFlag(event, eventID);
}
template <pipe_t pipe>
inline void PipeBarrier() {
  npu_emu::pipeBarrier(pipe);
}
template <bool isAIVOnly = true>
inline void SyncAll() {
  npu_emu::syncAll();
}

}  // namespace AscendC

inline void pipe_barrier(pipe_t pipe) { npu_emu::pipeBarrier(pipe); }
