#include "issue.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "cross_core.h"
#include "device.h"
#include "instruction_stream.h"
#include "late_copies.h"
#include "overdue.h"
#include "timing.h"
#include "walk.h"

namespace npu_emu {

namespace {

constexpr uint64_t instructionLimit = uint64_t(64) << 20;
// No launch gets to this count by itself.
constexpr uint64_t overdueCount = instructionLimit << 1;

[[noreturn, gnu::noinline]] void endTooLong() {
  const bool overdue = device.recorded > overdueCount;
  trap({Check::InstructionLimit, "launch",
        overdue ? "the kernel has used up the processor time of its launch"
                : "the kernel has issued more than 67 million instructions",
        overdue ? "look for a loop that never ends; a kernel that is only slow needs a larger launchTimeoutMs"
                : "look for a loop that never ends, or that works element by element"});
}

[[gnu::noinline]] uint32_t originOf(const char* instruction) {
  const auto nextPlace = static_cast<uint32_t>(core->placeNumbers.size());
  const uint32_t place = core->placeNumbers.try_emplace(placeOf(*core), nextPlace).first->second;
  const auto next = static_cast<uint32_t>(core->origins.size());
  const auto [found, isNew] = core->originNumbers.try_emplace({instruction, place}, next);
  if (isNew) core->origins.push_back({instruction, place});
  return found->second;
}

void countMoved(bool isWrite) {
  for (const Transfer& transfer : core->trace.transfers()) {
    GmRegion* region = regionAt(transfer.address);
    if (region == nullptr) continue;
    (isWrite ? region->bytesWritten : region->bytesRead) += transfer.bytes();
    if (!region->isHintedPastL2) region->usesL2 = true;
  }
}

// What an instruction takes by itself where all cores use the memory: no less than the clock would have made of its record.
uint64_t mostCyclesOf(const TraceEntry& entry) {
  using namespace timing;
  uint64_t cycles = entry.scalarCycles + entry.occupancy + entry.tail;
  if (entry.kind == TraceEntry::Wait || entry.kind == TraceEntry::Follow) cycles += static_cast<uint64_t>(flagCycles);
  if (!entry.moves()) return cycles;
  constexpr uint64_t sectorBytes = 128;
  const SocProfile& soc = *findSoc(device.request->soc);
  double bytes = 0;
  for (const Transfer& transfer : core->trace.transfers())
    bytes += static_cast<double>(transfer.rows) * static_cast<double>(transfer.rowBytes + 2 * sectorBytes);
  if (entry.kind == TraceEntry::AtomicWrite) bytes *= 2;
  const size_t coresAtOnce = device.cores.size() / device.groups * std::min(device.groups, device.groupsAtOnce);
  const double part =
      std::min(coreReadBytesPerNs, soc.hbmBytesPerNs * sustainedShare / static_cast<double>(coresAtOnce));
  const double ns = readLatencyNs + turnaroundNs + readTailNs + bytes * writeNsPerByte +
                    bytes / (part * unalignedShare * sameLineShare);
  return cycles + static_cast<uint64_t>(ns * soc.clockGHz);
}

// There is no more room in the memory of traces.
[[gnu::noinline]] void leaveUnrecorded(const TraceEntry& entry) {
  Trace& trace = core->trace;
  if (!trace.isRecorded()) return;
  if (!entry.meets()) return trace.appendUnrecorded(mostCyclesOf(entry));
  if (trace.appendMeeting(entry)) return;
  trap({Check::InstructionLimit, "launch",
        "the cores meet more often than can be timed: several hundred thousand times",
        "look for a loop that never ends, or that lets cores meet for each element"});
}

inline void leaveRecord(TraceEntry entry, const char* instruction = nullptr) {
  if (++device.recorded > instructionLimit) endTooLong();
  core->ticker.count(entry);
  if (__builtin_expect(device.request->timeline, 0)) entry.origin = originOf(instruction);
  if (entry.moves()) countMoved(entry.isWrite());
  if (__builtin_expect(!core->trace.append(entry), 0)) leaveUnrecorded(entry);
}

// Work of the scalar unit is merged with the record before it.
void leaveScalarWork(uint64_t cycles) {
  if (core->trace.extend(cycles)) return core->ticker.extend(cycles);
  leaveRecord({TraceEntry::Work, Pipe::S, false, 0, 0, cycles, 0, 0, 0});
}

// What an instruction takes to issue stands for the code around it as well: loops, calls and addresses, of which a compiler
// that does not optimise makes much more than that of the device. Each record covers code by the cycles that it takes to
// issue, an instruction 128 at least, which a loop over copies of 128 bytes is measured to need; what code goes beyond that,
// and beyond what was left of those before, is work. The launch covers the code that sets a kernel up, where a core runs its first
// block: work that is split into more blocks than there are cores runs its code once for each of them.
constexpr int64_t coveredByCycle = 16, coveredByInstruction = 128, coveredByLaunch = 4000;
// While the scalar unit waits for an element it does what else there is to do. Measured: two loads, a store, conversions and a
// sum are 34 cycles.
constexpr int64_t coveredByAccess = 4;

inline void leaveCode(int64_t covered) {
  int64_t& uncovered = core->uncoveredCode;
  if (core->trace.isEmpty() && core->group < device.groupsAtOnce) uncovered -= coveredByLaunch;
  uncovered -= covered;
  if (uncovered > 0) leaveScalarWork(static_cast<uint64_t>(std::exchange(uncovered, 0)));
  else uncovered = std::max(uncovered, -coveredByLaunch);
}

// Flags and barriers that come with one instruction, at most.
constexpr uint8_t synchronisationsOfInstruction = 8;

// What does nothing stands for no code around it.
inline void append(const TraceEntry& entry, bool works = true, const char* instruction = nullptr) {
  if (works) earnSynchronisations();
  leaveCode(works ? std::max(coveredByInstruction, coveredByCycle * entry.scalarCycles) : 0);
  leaveRecord(entry, instruction);
}

// Those that come with no instruction order nothing, and stand for no code either.
inline void appendSynchronisation(const TraceEntry& entry) {
  const bool isOfInstruction = core->synchronisations != 0;
  if (isOfInstruction && entry.scalarCycles != 0) --core->synchronisations;
  leaveCode(isOfInstruction ? coveredByCycle * entry.scalarCycles : 0);
  leaveRecord(entry);
}

}  // namespace

Reach Reach::strided(uint64_t bytes, uint32_t rows, uint64_t rowStride, uint32_t blocks, uint64_t blockStride) {
  if (bytes == 0 || rows == 0 || blocks == 0) return 0u;
  // beyond every memory, as the end may be beyond all numbers
  if (bytes > UINT32_MAX || (rows > 1 && rowStride > UINT32_MAX) || (blocks > 1 && blockStride > UINT32_MAX))
    return UINT32_MAX;
  const uint64_t end = (rows - 1) * rowStride + (blocks - 1) * blockStride + bytes;
  if (end > UINT32_MAX) return UINT32_MAX;  // past every memory
  if (blockStride == 0) blocks = 1;
  if (rowStride == 0) rows = 1;
  if (blocks > 1 && blockStride == bytes) bytes *= std::exchange(blocks, 1);
  if (rows > 1 && blocks == 1 && rowStride == bytes) bytes *= std::exchange(rows, 1);
  return {static_cast<uint32_t>(end),
          {static_cast<uint32_t>(bytes), rows, static_cast<uint32_t>(rowStride), blocks,
           static_cast<uint32_t>(blockStride)}};
}

// A count that is too high costs instructions nothing: they compare it anyway.
void endOverdue(const Interrupted& code) {
  device.recorded = overdueCount + 1;
  if (!code.insideKernel || core == nullptr) return;
  const CallPath place = callPathAt(core->fiber, code.address, code.stack, code.frame);
  setIssuedFrom(&place);
  endTooLong();
}

namespace {

constexpr uint32_t orderToken = 0;  // never used by flags or buffers: set and waited for at once

// A record of the trace that is no work. The scalar unit takes `issueCycles` for it.
TraceEntry synchronisation(TraceEntry::Kind kind, Pipe pipe, uint8_t issueCycles, uint32_t token = 0) {
  return {kind, pipe, false, issueCycles, token, 0, 0, 0, 0};
}

// What a transfer is to the clock follows from its pipe.
TraceEntry::Kind kindOf(const Instruction& instruction) {
  if (instruction.traffic == 0) return TraceEntry::Work;
  if (instruction.pipe == Pipe::MTE2) return TraceEntry::Read;
  return core->atomic == vec::Atomic::None ? TraceEntry::Write : TraceEntry::AtomicWrite;
}

// With the transfers of the instruction.
TraceEntry transferOf(const Instruction& i) {
  const auto transfers = static_cast<uint32_t>(core->trace.transfers().size());
  const TraceEntry::Kind kind = transfers == 0 ? TraceEntry::Work : kindOf(i);
  return {kind, i.pipe, false, i.issueCycles, 0, i.occupancy, i.tail, transfers, 0};
}

}  // namespace

// Copies go past the data caches of the scalar units.
static void checkDataCaches(const char* instruction, const GmExtent& extent) {
  const GmRegion* region = regionAt(extent.address);
  if (region == nullptr || region->access == Access::In) return;
  if (!extent.write && device.coresWithStores.empty()) return;
  for (uint64_t row = 0; row < extent.rows; ++row) {
    const uint8_t *begin = extent.address + row * extent.distance, *end = begin + extent.rowBytes;
    bool isAhead = extent.write && core->dataCache.storeAround(begin, end);
    if (!extent.write)
      for (const Core* each : device.coresWithStores) isAhead = isAhead || each->dataCache.isAheadOfMemory(begin, end);
    if (!isAhead) continue;
    report({extent.write ? Check::ErrorSync1 : Check::ErrorSync2, instruction,
            text("%s bytes of %s that SetValue has stored, and only the data cache of a scalar unit has",
                 extent.write ? "writes" : "reads", region->name.c_str()),
            "call DataCacheCleanAndInvalid for the lines that SetValue has stored to"});
    return;
  }
}

void Touches::add(const Extent& extent) {
  if (extent.seen != Seen::ByCompilerOnly) IssuePoint::checkLocal(instruction_.name, extent);
  works_ = works_ || (extent.seen != Seen::ByCompilerOnly && extent.bytes.bytes != 0);
  if (instruction_.pipe != Pipe::V) return;
  if (extent.seen == Seen::ByDeviceOnly) {
    if (!extent.write) waitsFor(extent.begin(), extent.end());
    return;
  }
  if (!extent.write && extent.bytes.bytes != 0) noteSource(extent);
  noteBlocks(extent.bytes.runs);
  const uint8_t *begin = extent.begin(), *end = extent.end();
  waitsFor(begin, end);
  if (extent.write && written_ != mostWrites) writes_[written_++] = {begin, end};
}

void Touches::waitsFor(const uint8_t* begin, const uint8_t* end) {
  for (size_t i = 0; i < core->pendingCount; ++i)
    isDependent_ |= begin < core->pending[i].end && core->pending[i].begin < end;
}

void Touches::add(const GmExtent& extent) {
  IssuePoint::checkGm(instruction_.name, instruction_.pipe, extent, true);
  if (instruction_.pipe == Pipe::S) return;
  if (extent.write) requireSet(Register::Atomic, instruction_.name);
  checkDataCaches(instruction_.name, extent);
  core->trace.addTransfer(extent.address, extent.rowBytes, extent.rows, extent.distance);
}

// Sixteen groups of banks, by blocks of 32 bytes: repeats of two sources that begin in the same one are read one after the other,
// but where they are the same bytes.
uint32_t conflictCyclesOf(const RepeatedSource& one, const RepeatedSource& other) {
  constexpr uint64_t groupBits = 0x1e0, period = 16;
  if ((one.begin == other.begin && one.step == other.step) || std::min(one.repeats, other.repeats) == 0) return 0;
  const uint64_t most = std::max(one.repeats, other.repeats);
  uint64_t conflicts = 0;
  for (uint64_t repeat = 0; repeat < std::min(most, period); ++repeat)
    conflicts += (((one.begin + repeat * one.step) ^ (other.begin + repeat * other.step)) & groupBits) == 0;
  if (conflicts == 0) return 0;
  if (most > period) conflicts = conflicts * most / period;
  return static_cast<uint32_t>(std::min<uint64_t>(most + conflicts, UINT32_MAX));
}

void Touches::noteSource(const Extent& extent) {
  constexpr uint32_t repeatBytes = 256;
  const Runs& runs = extent.bytes.runs;
  uint64_t repeats = uint64_t(runs.bytes) * runs.rows * runs.blocks / repeatBytes;
  // a mask that leaves lanes out makes no fewer of them; where all lanes take one block it is no repeat
  if (runs.place == LanePlace::Elements && instruction_.lanes != nullptr &&
      instruction_.lanes->walk.blockStride[runs.operand] != 0)
    repeats = std::max<uint64_t>(repeats, runs.rows);
  const RepeatedSource next{reinterpret_cast<uintptr_t>(extent.begin()), repeats,
                            runs.rows > 1 ? runs.rowStride
                            : repeats > 1 ? repeatBytes
                                          : 0};
  if (source_.begin == 0) {
    source_ = next;
    return;
  }
  conflictCycles_ = std::max(conflictCycles_, conflictCyclesOf(source_, next));
}

// Blocks of a repeat that lie in the same group of banks are served one after the other: eight of them at every sixteenth
// block take eight cycles. Documented, and measured of a copy to such places.
uint32_t turnsOf(uint32_t blocks, uint32_t stride) {
  constexpr uint32_t groups = 16;
  if (blocks == 1 || stride == 0) return 1;
  const uint32_t used = groups / std::gcd(stride, groups);
  return (blocks + used - 1) / used;
}

void Touches::noteBlocks(const Runs& runs) {
  constexpr uint32_t blockBytes = 32, blocksOfRepeat = 8, repeatBytes = blockBytes * blocksOfRepeat;
  const uint64_t bytes = uint64_t(runs.bytes) * runs.rows * runs.blocks;
  repeats_ = std::max(repeats_, (bytes + repeatBytes - 1) / repeatBytes);
  // a mask that leaves lanes out makes no fewer repeats
  if (runs.blocks > 1)
    repeats_ = std::max(repeats_, uint64_t(runs.rows) * ((runs.blocks + blocksOfRepeat - 1) / blocksOfRepeat));
  if (instruction_.lanes != nullptr) repeats_ = std::max<uint64_t>(repeats_, instruction_.lanes->lanes.repeats);
  turns_ = std::max(turns_, turnsOf(std::min(runs.blocks, blocksOfRepeat), runs.blockStride / blockBytes));
}

void Touches::leaveVectorRecord() {
  if (std::exchange(core->scalarStored, false) && device.request->autoSync) orderAutomatically(Pipe::S, Pipe::V);
  // a register is waited for as memory is
  const Core::Range comparison{std::begin(core->compareMask), std::end(core->compareMask)};
  if (instruction_.takesComparison || instruction_.leavesComparison) waitsFor(comparison.begin, comparison.end);
  if (instruction_.leavesComparison && written_ != mostWrites) writes_[written_++] = comparison;
  // Where nobody has it wait, it waits by itself: whether the unit keeps this order is not documented, and the library leaves the
  // barrier out in places. Nothing is won by that.
  uint32_t& leftBy = core->comparisonLeftBy;
  const bool waitsByItself =
      !device.request->autoSync && instruction_.takesComparison && core->hazards.isUnderWay(Pipe::V, leftBy);
  if (waitsByItself) leftBy = 0;
  if (instruction_.leavesComparison) leftBy = core->hazards.vectorInstructions();
  // where more results are on their way than are told apart, it waits for them
  isDependent_ = isDependent_ || core->pendingCount + written_ > Core::pendingLimit;
  if (isDependent_) core->pendingCount = 0;
  for (size_t i = 0; i < written_; ++i) core->pending[core->pendingCount++] = writes_[i];
  const uint64_t ofBlocks = turns_ == 1 ? 0 : turns_ * repeats_;
  append(
      {TraceEntry::Work, Pipe::V, waitsByItself || (isDependent_ && device.request->autoSync), instruction_.issueCycles,
       0, std::max<uint64_t>({instruction_.occupancy, conflictCycles_, ofBlocks}), instruction_.tail, 0, 0},
      works_, instruction_.name);
}

void Touches::leaveRecord() {
  const Instruction& i = instruction_;
  RaceDetector& hazards = core->hazards;
  hazards.worksOn(i.lanes);
  hazards.pads(i.leftPadding);
  if (i.keepsOwnOrder) hazards.ordersItself();
  hazards.issue(i.pipe);
  if (i.pipe == Pipe::V) return leaveVectorRecord();
  if (i.pipe == Pipe::S) {
    leaveCode(coveredByAccess);
    return leaveScalarWork(i.occupancy);
  }
  append(transferOf(i), true, i.name);
}

void IssuePoint::admit(const Instruction& instruction, const Operands& operands) {
  Touches touches(instruction);
  for (size_t i = 0; i < operands.locals; ++i) touches.add(operands.local[i]);
  if (operands.global != nullptr) touches.add(*operands.global);
  touches.leaveRecord();
}

void inspect(const char* name, const Operands& operands) {
  if (device.isDryRun) return;
  if (core->late != nullptr) core->late->landAll();
  for (size_t i = 0; i < operands.locals; ++i) IssuePoint::checkLocal(name, operands.local[i]);
  // what no instruction of the program does, DumpTensor for one, computes nothing
  if (operands.global != nullptr) IssuePoint::checkGm(name, Pipe::S, *operands.global, false);
  core->hazards.forget();
}

void keepBack(std::function<void()> body) {
  struct Settings {
    vec::Atomic atomic;
    vec::AtomicType type;
    uint64_t control;
    static Settings now() { return {core->atomic, core->atomicType, core->control}; }
    void set() const {
      core->atomic = atomic;
      core->atomicType = type;
      core->control = control;
    }
  };
  core->late->keepBack([body = std::move(body), given = Settings::now()] {
    const Settings later = Settings::now();
    given.set();
    body();
    later.set();
  });
}

namespace {

void stopKeepingBack() {
  if (core->late == nullptr) return;
  core->late->landAll();
  core->hazards.keepCopiesBack(nullptr);
  core->late = nullptr;
}

}  // namespace

void expose(const uint8_t* address, uint32_t bytes) {
  // from here on the kernel may use it without a word
  stopKeepingBack();
  constexpr auto ub = static_cast<size_t>(Memory::UB);
  const auto offset = static_cast<uint32_t>(address - core->memory[ub]);
  core->hazards.setValid(offset, std::min(bytes, core->capacity[ub] - offset));
}

void scalarCycles(uint32_t cycles) {
  leaveCode(0);
  leaveScalarWork(cycles);
}

void earnSynchronisations() { core->synchronisations = synchronisationsOfInstruction; }

void scalarCode(uint32_t cycles) { core->uncoveredCode += cycles; }

void setToken(Pipe pipe, uint32_t token, uint8_t issueCycles) {
  core->hazards.release(pipe, token);
  appendSynchronisation(synchronisation(TraceEntry::Set, pipe, issueCycles, token));
}

void waitForToken(Pipe pipe, uint32_t token, uint8_t issueCycles) {
  core->hazards.acquire(pipe, token);
  appendSynchronisation(synchronisation(TraceEntry::Wait, pipe, issueCycles, token));
}

void followToken(Pipe pipe, uint32_t token) {
  core->hazards.acquire(pipe, token);
  appendSynchronisation(synchronisation(TraceEntry::Follow, pipe, 0, token));
}

void pipeBarrierOf(Pipe pipe) {
  core->hazards.barrier(pipe);
  appendSynchronisation(synchronisation(TraceEntry::Barrier, pipe, 1));
}

// The barrier never ends while a flag is set more than once.
[[gnu::noinline]] static void checkRepeatedSets() {
  const auto& all = core->repeatedSets;
  const auto found = std::find_if(all.begin(), all.end(), [](const auto& sets) { return sets.second.size() > 1; });
  if (found == all.end()) return;
  const uint32_t flag = found->first - firstFlagToken;
  trap({Check::Deadlock, "PipeBarrier",
        text("all pipes meet while HardEvent::%s id %u is set twice: the core hangs",
             nameOf(static_cast<HardEvent>(flag / eventIds)), static_cast<uint32_t>(flag % eventIds)),
        "wait for both sets of the flag before PipeBarrier<PIPE_ALL>, SyncAll and the end of the TPipe"});
}

void barrierOfAllPipes() {
  if (!core->repeatedSets.empty()) checkRepeatedSets();
  landStores();
  core->hazards.barrierAll();
  appendSynchronisation(synchronisation(TraceEntry::BarrierAll, Pipe::S, 1));
}

void meet(TraceEntry::Kind kind, Pipe pipe, uint32_t meeting, uint8_t issueCycles) {
  if (kind == TraceEntry::SyncAll) core->hazards.barrierAll();
  appendSynchronisation(synchronisation(kind, pipe, issueCycles, meeting));
}

void orderPipes(Pipe from, Pipe to) {
  setToken(from, orderToken, 0);
  waitForToken(to, orderToken, 0);
}

void orderAutomatically(Pipe from, Pipe to) {
  appendSynchronisation(synchronisation(TraceEntry::Set, from, 0, orderToken));
  appendSynchronisation(synchronisation(TraceEntry::Wait, to, 0, orderToken));
}

}  // namespace npu_emu
