// Synchronisation inside a core and between cores.
#pragma once

#include "pipe.h"

namespace AscendC {

// api: SetFlag, WaitFlag | the pipes of the event | - | documented
template <HardEvent event>
inline void SetFlag(int32_t eventID) {
  npu_emu::setFlag(event, eventID);
}
template <HardEvent event>
inline void WaitFlag(int32_t eventID) {
  npu_emu::waitFlag(event, eventID);
}
// api: PipeBarrier | the pipe given | - | documented
template <pipe_t pipe>
inline void PipeBarrier() {
  npu_emu::pipeBarrier(pipe);
}
// api: SyncAll | S | - | documented; isAIVOnly on cube cores synchronises these among themselves: inferred
template <bool isAIVOnly = true>
inline void SyncAll() {
  npu_emu::syncAll(isAIVOnly);
}
// The soft barrier: flags in global memory, of the first `usedCores` cores or of all.
// api: SyncAll | S | int32_t workspace | documented
template <bool isAIVOnly = true>
inline void SyncAll(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace,
                    const int32_t usedCores = 0) {
  npu_emu::syncAllSoft(gmWorkspace.npu_emu_address(), ubWorkspace.npu_emu_operand(), usedCores, isAIVOnly);
}
// Flags between single cores, in global memory.
// api: IBSet, IBWait | S | int32_t workspace | documented
template <bool isAIVOnly = true>
inline void IBSet(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                  int32_t eventID) {
  npu_emu::blockSet(gmWorkspace.npu_emu_address(), ubWorkspace.npu_emu_operand(), blockIdx, eventID, isAIVOnly);
}
template <bool isAIVOnly = true>
inline void IBWait(const GlobalTensor<int32_t>& gmWorkspace, const LocalTensor<int32_t>& ubWorkspace, int32_t blockIdx,
                   int32_t eventID) {
  npu_emu::blockWait(gmWorkspace.npu_emu_address(), ubWorkspace.npu_emu_operand(), blockIdx, eventID, isAIVOnly);
}

enum class PipeMode : uint8_t { SCALAR_MODE = 0, MTE3_MODE = 1, MAX };

// Vector cores that wait until all of a group have arrived, once per round of a loop.
// api: GroupBarrier | S | - | documented
template <PipeMode pipeMode>
class GroupBarrier {
 public:
  GroupBarrier(GM_ADDR groupWorkspace, uint32_t arriveSizeIn, uint32_t waitSizeIn)
      : place_{(npu_emu::GmAddress)groupWorkspace, arriveSizeIn, waitSizeIn} {
    static_assert(pipeMode == PipeMode::MTE3_MODE, "GroupBarrier has MTE3_MODE only on Atlas A2");
  }
  void Arrive(uint32_t arriveIndex) { npu_emu::groupArrive(place_, arriveIndex, ++arrivals_); }
  void Wait(uint32_t waitIndex) { npu_emu::groupWait(place_, waitIndex, ++waits_); }
  uint64_t GetWorkspaceLen() {
    const uint32_t slots = place_.arrivers > place_.waiters ? place_.arrivers : place_.waiters;
    return uint64_t(slots) * npu_emu::groupBarrierSlot;
  }

 private:
  npu_emu::GroupBarrierPlace place_;
  uint32_t arrivals_ = 0, waits_ = 0;
};

// Keeps the compiler from moving memory accesses; the device sees nothing of it.
// api: Barrier | - | - | inferred: an empty statement of the vendor's own code
inline void Barrier() { __asm__ __volatile__("" ::: "memory"); }

// api: CrossCoreSetFlag, CrossCoreWaitFlag | the pipe given | - | documented
template <uint8_t modeId, pipe_t pipe>
inline void CrossCoreSetFlag(uint16_t flagId) {
  static_assert(modeId <= 2, "CrossCoreSetFlag has the modes 0, 1 and 2 on Atlas A2");
  npu_emu::crossCoreSet(modeId, pipe, flagId);
}
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
inline void CrossCoreWaitFlag(uint16_t flagId) {
  static_assert(modeId <= 2, "CrossCoreWaitFlag has the modes 0, 1 and 2 on Atlas A2");
  npu_emu::crossCoreWait(flagId);
}

// The older form, between the cores of one group.
// api: NotifyEvent, WaitEvent | the pipe given | - | inferred: CrossCoreSetFlag in mode 2
template <pipe_t pipe>
inline void NotifyEvent(uint16_t flagId) {
  npu_emu::crossCoreSet(2, pipe, flagId);
}
template <pipe_t pipe = PIPE_S>
inline void WaitEvent(uint16_t flagId) {
  npu_emu::crossCoreWait(flagId);
}

enum class MemDsbT : uint8_t { ALL, DDR, UB, SEQ };
// Waits until earlier scalar writes to the memory given are seen by everyone. Nothing is documented of SEQ.
// api: DataSyncBarrier | S | - | documented
template <MemDsbT scope>
inline void DataSyncBarrier() {
  npu_emu::dataSyncBarrier(scope == MemDsbT::ALL || scope == MemDsbT::DDR);
}

namespace npu_emu_detail {

constexpr HardEvent eventOf(pipe_t from, pipe_t to) {
  switch (from * 16 + to) {
    case PIPE_MTE2 * 16 + PIPE_MTE1: return HardEvent::MTE2_MTE1;
    case PIPE_MTE1 * 16 + PIPE_MTE2: return HardEvent::MTE1_MTE2;
    case PIPE_MTE1 * 16 + PIPE_M: return HardEvent::MTE1_M;
    case PIPE_M * 16 + PIPE_MTE1: return HardEvent::M_MTE1;
    case PIPE_MTE2 * 16 + PIPE_V: return HardEvent::MTE2_V;
    case PIPE_V * 16 + PIPE_MTE2: return HardEvent::V_MTE2;
    case PIPE_MTE3 * 16 + PIPE_V: return HardEvent::MTE3_V;
    case PIPE_V * 16 + PIPE_MTE3: return HardEvent::V_MTE3;
    case PIPE_MTE3 * 16 + PIPE_MTE2: return HardEvent::MTE3_MTE2;
    case PIPE_MTE2 * 16 + PIPE_MTE3: return HardEvent::MTE2_MTE3;
    case PIPE_S * 16 + PIPE_V: return HardEvent::S_V;
    case PIPE_V * 16 + PIPE_S: return HardEvent::V_S;
    case PIPE_S * 16 + PIPE_MTE2: return HardEvent::S_MTE2;
    case PIPE_MTE2 * 16 + PIPE_S: return HardEvent::MTE2_S;
    case PIPE_S * 16 + PIPE_MTE3: return HardEvent::S_MTE3;
    case PIPE_MTE3 * 16 + PIPE_S: return HardEvent::MTE3_S;
    case PIPE_M * 16 + PIPE_FIX: return HardEvent::M_FIX;
    case PIPE_FIX * 16 + PIPE_M: return HardEvent::FIX_M;
    case PIPE_MTE3 * 16 + PIPE_MTE1: return HardEvent::MTE3_MTE1;
    case PIPE_MTE1 * 16 + PIPE_MTE3: return HardEvent::MTE1_MTE3;
    case PIPE_MTE2 * 16 + PIPE_M: return HardEvent::MTE2_M;
    case PIPE_M * 16 + PIPE_MTE2: return HardEvent::M_MTE2;
    case PIPE_MTE2 * 16 + PIPE_FIX: return HardEvent::MTE2_FIX;
    case PIPE_FIX * 16 + PIPE_MTE2: return HardEvent::FIX_MTE2;
    case PIPE_FIX * 16 + PIPE_S: return HardEvent::FIX_S;
    case PIPE_M * 16 + PIPE_S: return HardEvent::M_S;
    case PIPE_FIX * 16 + PIPE_MTE3: return HardEvent::FIX_MTE3;
    case PIPE_MTE1 * 16 + PIPE_FIX: return HardEvent::MTE1_FIX;
    case PIPE_FIX * 16 + PIPE_MTE1: return HardEvent::FIX_MTE1;
    default: return HardEvent::MAX;
  }
}

}  // namespace npu_emu_detail

// api: TQueSync | S | - | documented
template <pipe_t src, pipe_t dst>
class TQueSync {
 public:
  void SetFlag(TEventID id) { npu_emu::setFlag(event, id); }
  void WaitFlag(TEventID id) { npu_emu::waitFlag(event, id); }

 private:
  static constexpr HardEvent event = npu_emu_detail::eventOf(src, dst);
  static_assert(event != HardEvent::MAX, "TQueSync: there is no event between these pipes on Atlas A2");
};

// One core after the other, in the order of their indices: through global memory, as the soft barrier.
// api: InitDetermineComputeWorkspace, WaitPreBlock, NotifyNextBlock | S | int32_t workspace | documented
inline void InitDetermineComputeWorkspace(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
  npu_emu::blockOrderInit(gmWorkspace.npu_emu_address(), ubWorkspace.npu_emu_operand());
}
inline void WaitPreBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
  npu_emu::blockOrderWait(gmWorkspace.npu_emu_address(), ubWorkspace.npu_emu_operand());
}
inline void NotifyNextBlock(GlobalTensor<int32_t>& gmWorkspace, LocalTensor<int32_t>& ubWorkspace) {
  npu_emu::blockOrderNotify(gmWorkspace.npu_emu_address(), ubWorkspace.npu_emu_operand());
}

// Launches here follow each other with nothing in between.
// api: SetNextTaskStart, WaitPreTaskEnd | S | - | documented
template <pipe_t aivPipe = PIPE_MTE3, pipe_t aicPipe = PIPE_FIX>
inline void SetNextTaskStart() {}
inline void WaitPreTaskEnd() {}

}  // namespace AscendC

// api: pipe_barrier | the pipe given | - | inferred: the intrinsic behind PipeBarrier
inline void pipe_barrier(pipe_t pipe) { npu_emu::pipeBarrier(pipe); }
