// Flags, barriers, scalar access and system variables.
#include <cstdarg>
#include <cstdio>

#include "device.h"
#include "issue.h"

namespace npu_emu {

namespace {

uint32_t flagToken(HardEvent event, int32_t id) { return 1 + static_cast<uint32_t>(event) * eventIds + static_cast<uint32_t>(id); }

void checkId(const char* instruction, HardEvent event, int32_t id) {
  if (static_cast<size_t>(event) >= eventCount || id < 0 || id >= static_cast<int32_t>(eventIds)) {
    trap({"EventId", instruction, text("event id %d is out of range 0..7", id), "take ids from FetchEventID or AllocEventID"});
  }
}

// Scalar unit: cycles of a load or store of local memory, and of global memory through the data cache.
constexpr uint32_t localReadCycles = 10, localWriteCycles = 3, cachedCycles = 5, missCycles = 350;

// Under automatic sync the compiler orders scalar access against the other pipes.
void orderScalarAfter(Memory memory) {
  if (!device.request->autoSync || core->trace.empty()) return;
  const TraceEntry& last = core->trace.back();
  if (last.kind == TraceEntry::Work && last.pipe == Pipe::S) return;  // nothing was issued in between
  if (memory == Memory::UB) {
    recordOrder(Pipe::V, Pipe::S);
    recordOrder(Pipe::MTE2, Pipe::S);
  }
}

}  // namespace

void setFlag(HardEvent event, int32_t id) {
  checkId("SetFlag", event, id);
  uint8_t& flag = core->flags[static_cast<size_t>(event)][static_cast<size_t>(id)];
  if (flag != 0) {
    trap({"ErrorSync4", "SetFlag", text("HardEvent::%s id %d is set twice without a wait between", nameOf(event), id),
          "wait for the flag before setting it again, or use another event id"});
  }
  flag = 1;
  if (core->flagsSet.empty()) core->flagsSet.resize(eventCount * eventIds);
  core->flagsSet[static_cast<size_t>(event) * eventIds + static_cast<size_t>(id)] = callPath(core->fiber);
  record({TraceEntry::Set, pipesOf(event).from, false, 1, flagToken(event, id), 0, 0, 0});
}

void waitFlag(HardEvent event, int32_t id) {
  checkId("WaitFlag", event, id);
  uint8_t& flag = core->flags[static_cast<size_t>(event)][static_cast<size_t>(id)];
  if (flag == 0) {
    trap({"ErrorSync3", "WaitFlag", text("waits for HardEvent::%s id %d, which nothing has set: the core hangs", nameOf(event), id),
          "set the flag on the producing pipe before waiting for it"});
  }
  flag = 0;
  record({TraceEntry::Wait, pipesOf(event).to, false, 1, flagToken(event, id), 0, 0, 0});
}

void pipeBarrier(pipe_t pipe) {
  constexpr Pipe pipes[] = {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::S, Pipe::FIX};
  if (pipe == PIPE_ALL) record({TraceEntry::BarrierAll, Pipe::S, false, 1, 0, 0, 0, 0});
  else record({TraceEntry::Barrier, pipes[pipe], false, 1, 0, 0, 0, 0});
}

void syncAll() {
  record({TraceEntry::SyncAll, Pipe::S, false, 1, 0, 0, 0, 0});
  core->syncAll = callPath(core->fiber);
  core->state = CoreState::AtSyncAll;
  leaveFiber(core->fiber);
}

int32_t fetchEventId(HardEvent event) {
  size_t index = static_cast<size_t>(event);
  for (int32_t id = 0; id < static_cast<int32_t>(eventIds); ++id)
    if ((core->allocatedEvents[index] >> id & 1) == 0) return id;
  trap({"EventId", "FetchEventID", text("all event ids of HardEvent::%s are allocated", nameOf(event)), "release ids with ReleaseEventID"});
}

int32_t allocEventId(HardEvent event) {
  int32_t id = fetchEventId(event);
  core->allocatedEvents[static_cast<size_t>(event)] |= static_cast<uint8_t>(1u << id);
  return id;
}

void releaseEventId(HardEvent event, int32_t id) {
  checkId("ReleaseEventID", event, id);
  core->allocatedEvents[static_cast<size_t>(event)] &= static_cast<uint8_t>(~(1u << id));
}

void scalarRead(Operand src, uint32_t bytes) {
  Memory memory = memoryOf(src.position);
  checkLocal("GetValue", {src, bytes, false, static_cast<uint16_t>(1), "the tensor"}, memory);
  orderScalarAfter(memory);
  recordScalar(localReadCycles);
}

void scalarWrite(Operand dst, uint32_t bytes) {
  Memory memory = memoryOf(dst.position);
  checkLocal("SetValue", {dst, bytes, true, static_cast<uint16_t>(1), "the tensor"}, memory);
  orderScalarAfter(memory);
  recordScalar(localWriteCycles);
  if (device.request->autoSync) recordOrder(Pipe::S, Pipe::V);
}

void scalarReadGm(GmAddress src, uint32_t bytes) {
  checkGm("GetValue", src, bytes, false);
  uintptr_t line = reinterpret_cast<uintptr_t>(src) / 64;
  recordScalar(line == core->cachedLine ? cachedCycles : missCycles);
  core->cachedLine = line;
}

void scalarWriteGm(GmAddress dst, uint32_t bytes) {
  checkGm("SetValue", dst, bytes, true);
  recordScalar(cachedCycles);
}

int64_t blockIndex() { return core->block; }
int64_t blockCount() { return device.request->blockDim; }
int64_t subBlockIndex() { return 0; }
int64_t subBlockCount() { return 1; }
uint64_t tilingKey() { return device.request->tilingKey; }

void unknownTilingKey() {
  trap({"TilingKey", "launch", text("the kernel has no instance for tiling key %llu", static_cast<unsigned long long>(tilingKey())),
        "select the combination with ASCENDC_TPL_ARGS_SEL, or set another tiling key"});
}

// The counter runs at 50 MHz: one tick is 20 ns. Issued instructions stand for the time that has passed.
int64_t systemCycle() { return static_cast<int64_t>(core->trace.size()); }

void deviceLog(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stdout, format, arguments);
  va_end(arguments);
}

void deviceTrap(const char* what, const char*, int) { trap({"Assert", "ASSERT", what, "the kernel itself rejects its input here"}); }

void reportMisuse(const char* code, const char* instruction, const char* message, const char* hint) {
  bool stops = code[0] == 'E';  // an uninitialised buffer has no address to continue with
  if (stops) trap({code, instruction, message, hint});
  report({code, instruction, message, hint});
}

}  // namespace npu_emu
