// Flags and barriers between cores.
#include "cross_core.h"

#include <algorithm>
#include <cstring>

#include "device.h"
#include "issue.h"
#include "late_copies.h"

namespace npu_emu {

void waitFor(CrossWait wait) {
  if (core->late != nullptr) core->late->landAll();
  wait.where = core->place;
  core->crossWait = wait;
  core->state = CoreState::Waiting;
  leaveFiber(core->fiber);
}

CrossCoreClock releaseClock(const VectorClock& own) {
  CrossCoreClock released = core->otherCores;
  released.joinCore(core->number, own);
  ++core->releases;
  return released;
}

void acquire(const CrossCoreClock& released) {
  core->otherCores.join(released);
  if (const VectorClock* own = released.of(core->number)) core->hazards.acquireClock(*own);
}

namespace {

CrossCoreClock releaseAll() { return releaseClock(core->hazards.clockAfterAll()); }

// What the core has done so far, added to a release. Loads and stores of the word have taken their time already.
void addMoment(Release& release) {
  const uint32_t token = device.nextSyncToken++;
  release.tokens[core->number] = token;
  meet(TraceEntry::CrossSet, Pipe::S, token, 0);
}
void addTo(Release& release, const CrossCoreClock& clock) {
  release.clock.join(clock);
  addMoment(release);
}

void acquireRelease(const Release& release) {
  acquire(release.clock);
  for (const auto& [number, token] : release.tokens) {
    if (number == core->number) continue;
    uint32_t& known = core->awaitedTokens[number];
    if (known < token) meet(TraceEntry::CrossWait, Pipe::S, known = token, 0);
  }
}

void acquireAt(const uint8_t* word) {
  const auto released = device.releasedByWord.find(reinterpret_cast<const int32_t*>(word));
  if (released != device.releasedByWord.end()) acquireRelease(released->second);
}
void acquireAt(const int32_t* word) { acquireAt(reinterpret_cast<const uint8_t*>(word)); }

int64_t coresOfMyKind() { return core->isCube ? device.groups : int64_t(device.groups) * device.vectorCoresPerGroup; }

std::vector<uint32_t> numbersOf(bool (*takesPart)(const Core& self, const Core& other)) {
  std::vector<uint32_t> numbers;
  for (const Core* other : device.cores)
    if (takesPart(*core, *other)) numbers.push_back(other->number);
  return numbers;
}

bool ofMyKind(const Core& self, const Core& other) { return self.isCube == other.isCube; }
bool ofMyKindAndGroup(const Core& self, const Core& other) {
  return ofMyKind(self, other) && self.group == other.group;
}
bool opposite(const Core& self, const Core& other) { return !ofMyKind(self, other) && self.group == other.group; }
bool everyone(const Core&, const Core&) { return true; }

// Kernels of one kind of cores alone are started without what lets cores meet (CrossCoreSetFlag, constraints). Without a
// declared type the vendor's compiler takes the one that a kernel needs.
void requireMeetings(const char* instruction) {
  const int type = device.request->taskType;
  if (type != KERNEL_TYPE_AIV_ONLY && type != KERNEL_TYPE_AIC_ONLY) return;
  const bool isVector = type == KERNEL_TYPE_AIV_ONLY;
  trap({Check::Unsupported, instruction,
        text("cores of a kernel that is %s cannot meet", isVector ? "KERNEL_TYPE_AIV_ONLY" : "KERNEL_TYPE_AIC_ONLY"),
        isVector ? "declare KERNEL_TYPE_MIX_AIV_1_0" : "declare KERNEL_TYPE_MIX_AIC_1_0"});
}

// Whether a set of a flag that concerns this core has not been waited for yet.
bool isFlagPending(uint16_t flag) {
  if (!core->flagsToWaitFor[flag].empty()) return true;
  return std::any_of(device.flags.begin(), device.flags.end(), [&](const auto& entry) {
    const auto& rounds = entry.second.incomplete;
    return entry.first.flag == flag && std::any_of(rounds.begin(), rounds.end(), [](const auto& round) {
             const std::vector<uint32_t>& arrived = round.second->arrived;
             return std::find(arrived.begin(), arrived.end(), core->number) != arrived.end();
           });
  });
}

// SyncAll is made of flags between cores itself (kernel_operator_sync_impl.h of Atlas A2): 14 among the cores of a kind, 11 to 13
// between both kinds. A set of the kernel's own lets a core pass before the others have come.
void requireFlagsOfSyncAll(bool bothKinds) {
  constexpr uint16_t ofOneKind[] = {14}, ofCubeCores[] = {11, 12}, ofVectorCores[] = {12, 13};
  const auto check = [](uint16_t flag) {
    if (isFlagPending(flag))
      report({Check::ErrorSync4, "SyncAll",
              text("it takes flag %u itself, which the kernel has set and not waited for", flag),
              "use the flags 0 to 10 beside SyncAll"});
  };
  if (!bothKinds) std::for_each(std::begin(ofOneKind), std::end(ofOneKind), check);
  else if (core->isCube) std::for_each(std::begin(ofCubeCores), std::end(ofCubeCores), check);
  else std::for_each(std::begin(ofVectorCores), std::end(ofVectorCores), check);
}

}  // namespace

void syncAll(bool alone) {
  requireMeetings("SyncAll");
  bool bothKinds = !alone && device.isMixed();
  requireFlagsOfSyncAll(bothKinds);
  SyncPoint& point = device.barriers[bothKinds ? 2 : core->isCube ? 1 : 0];
  if (point.participants.empty()) point.participants = numbersOf(bothKinds ? everyone : ofMyKind);
  SyncRoundPointer round = point.arrive(core->number, device.nextSyncToken);
  // Whoever passes knows that everything before has completed: only the barrier is counted.
  CrossCoreClock& released = round->released;
  released.join(core->otherCores);
  size_t kind = core->isCube ? 1 : 0;
  released.barriers[kind] = std::max(released.barriers[kind], core->otherCores.barriers[kind] + 1);
  meet(TraceEntry::SyncAll, Pipe::S, round->token);
  CrossWait wait;
  wait.kind = CrossWait::Barrier;
  wait.instruction = "SyncAll";
  wait.barrier = round;
  wait.cores = static_cast<uint32_t>(point.participants.size());
  waitFor(wait);
  acquire(core->crossWait.barrier->released);
  core->crossWait.barrier.reset();
}

namespace {

int32_t* wordAt(const char* instruction, GmAddress workspace, int64_t slot) {
  GmAddress address = workspace + slot * 32;
  inspect(instruction, GmExtent{address, 32, writes});
  return reinterpret_cast<int32_t*>(address);
}

void checkOwn(const char* instruction, const Operand& local, uint32_t bytes) {
  inspect(instruction, {{local, bytes, writes, "ubWorkspace"}});
}

}  // namespace

void syncAllSoft(GmAddress workspace, Operand local, int32_t usedCores) {
  if (core->isCube) return;
  const int64_t count = coresOfMyKind(), used = usedCores == 0 ? count : usedCores;
  if (used < 0 || used > count)
    trap({Check::ParameterRange, "SyncAll",
          text("usedCores %d is out of range 1..%lld", usedCores, static_cast<long long>(count)),
          "pass the number of cores that take part"});
  checkOwn("SyncAll", local, static_cast<uint32_t>(used) * 32);
  int32_t* own = wordAt("SyncAll", workspace, core->block);
  SyncRound& round = device.softBarriers[core->softBarriers++];
  if (*own != static_cast<int32_t>(core->softBarriers) - 1) {
    trap({Check::ErrorSync4, "SyncAll",
          text("the flag of the core in gmWorkspace is %d before barrier %u", *own, core->softBarriers),
          "set gmWorkspace to zero before the kernel starts, and keep other data out of it"});
  }
  *own = static_cast<int32_t>(core->softBarriers);
  scalarCycles(pollAllCycles);
  barrierOfAllPipes();
  if (round.token == 0) round.token = device.nextSyncToken++;
  round.released.join(releaseAll());
  meet(TraceEntry::SyncAll, Pipe::S, round.token);
  CrossWait wait;
  wait.kind = CrossWait::SoftBarrier;
  wait.instruction = "SyncAll";
  wait.cores = static_cast<uint32_t>(used);
  wait.target = core->softBarriers;
  waitFor(wait);
  acquire(round.released);
}

namespace {

// The word of a block and an event, once it has the value that is waited for.
int32_t* awaitWord(const char* instruction, GmAddress workspace, Operand local, int32_t block, int32_t event,
                   int32_t value) {
  checkOwn(instruction, local, 32);
  int32_t* word = wordAt(instruction, workspace, blockCount() * event + block);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  CrossWait wait;
  wait.kind = CrossWait::Word;
  wait.instruction = instruction;
  wait.word = word;
  wait.value = value;
  if (*word != value) waitFor(wait);
  acquireAt(word);
  return word;
}

// Stores what the other side waits for. Nobody else waits for what was stored before.
void tell(int32_t* word, int32_t value) {
  Release& release = device.releasedByWord[word] = {};
  addTo(release, releaseAll());
  *word = value;
}

}  // namespace

void blockSet(GmAddress workspace, Operand local, int32_t block, int32_t event) {
  tell(awaitWord("IBSet", workspace, local, block, event, 0), 1);
}

void blockWait(GmAddress workspace, Operand local, int32_t block, int32_t event) {
  tell(awaitWord("IBWait", workspace, local, block, event, 1), 0);
}

// What the scalar unit has done in memory has completed: a flag written from here on releases that.
void dataSyncBarrier() {
  pipeBarrier(PIPE_S);
  core->published = releaseClock(core->hazards.clockAfter(Pipe::S));
}

static bool runsInOrder() { return device.request->coreOrder.kind == CoreOrder::Forward; }

void flagWriteGm(GmAddress dst, uint64_t bits, uint32_t bytes) {
  requireElement("WriteGmByPassDCache", bytes);
  // others may store since it was read: who counts so loses some
  if (runsInOrder()) letOthersRun("WriteGmByPassDCache");
  const GmExtent word{dst, bytes, writes, 1, 0, reinterpret_cast<const uint8_t*>(&bits), 0, true};
  issue({"WriteGmByPassDCache", Pipe::S, pollAllCycles}, word, [&] { std::memcpy(dst, &bits, bytes); });
  Release& release = device.releasedByWord[reinterpret_cast<int32_t*>(dst)] = {};
  addTo(release, core->published);
}

// Where cores run in their order, who looks for what another one stores lets the others go on. They need not have come there yet:
// in another order many looks are in vain, and who does not look again goes on without. So many take longer than any barrier.
void letOthersRun(const char* instruction) {
  constexpr uint32_t looksInVain = 256;
  if (!runsInOrder() && ++core->looks % looksInVain != 0) return;
  CrossWait wait;
  wait.kind = CrossWait::Yield;
  wait.instruction = instruction;
  waitFor(wait);
}

namespace {

void lookForOthers(const char* instruction) {
  device.polls = true;
  letOthersRun(instruction);
}

const uint8_t* lineOf(const uint8_t* address) { return address - reinterpret_cast<uintptr_t>(address) % 64; }

}  // namespace

void flagReadGm(GmAddress src, uint32_t bytes) {
  lookForOthers("ReadGmByPassDCache");
  acquireAt(src);
  issue({"ReadGmByPassDCache", Pipe::S, pollAllCycles}, GmExtent{src, bytes, reads, 1, 0, nullptr, 0, true});
}

void releaseLine(const uint8_t* address) {
  const uint8_t* line = lineOf(address);
  Release& release = device.releasedByWord[reinterpret_cast<const int32_t*>(line)];
  release.clock.join(releaseClock(core->hazards.clockAfter(Pipe::S)));
  // who cleans a line to see what others store in it keeps nobody waiting
  const GmRegion* region = regionAt(line);
  const bool isWhole = region != nullptr && isWithin(line, release.line.size(), region->base, paddedBytes(*region));
  if (release.tokens.empty() || !isWhole || std::memcmp(release.line.data(), line, release.line.size()) != 0)
    addMoment(release);
  if (isWhole) std::memcpy(release.line.data(), line, release.line.size());
  core->polled = line;
  lookForOthers("DataCacheCleanAndInvalid");
}

bool acquireFromLine(const uint8_t* address) {
  if (core->polled == nullptr || lineOf(address) != core->polled) return false;
  acquireAt(core->polled);
  return true;
}

void letOthersStore(const uint8_t* address) {
  const bool isPolled = core->polled != nullptr && lineOf(address) == core->polled;
  if (isPolled && runsInOrder()) letOthersRun("SetValue");
}

namespace {

// A counter of arrivals for each core that waits, 512 bytes apart.
int32_t* arrivalsOf(const char* instruction, const GroupBarrierPlace& place, uint32_t index) {
  if (reinterpret_cast<uintptr_t>(place.workspace) % groupBarrierSlot != 0)
    trap({Check::ErrorWrite4, instruction, "the workspace of a GroupBarrier is not aligned to 512 bytes",
          "align groupWorkspace to 512 bytes"});
  return wordAt(instruction, place.workspace + uint64_t(index) * groupBarrierSlot, 0);
}

void checkIndex(const char* instruction, uint32_t index, uint32_t size) {
  if (index < size) return;
  trap({Check::ParameterRange, instruction,
        text("the index %u is out of range 0..%lld", index, static_cast<long long>(size) - 1),
        "number the cores of each side from 0 on"});
}

}  // namespace

void groupArrive(const GroupBarrierPlace& place, uint32_t index) {
  const char* name = "GroupBarrier::Arrive";
  checkIndex(name, index, place.arrivers);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  const CrossCoreClock released = releaseAll();
  for (uint32_t i = 0; i < place.waiters; ++i) {
    int32_t* word = arrivalsOf(name, place, i);
    addTo(device.releasedByWord[word], released);
    ++*word;
  }
}

void groupWait(const GroupBarrierPlace& place, uint32_t index, uint32_t round) {
  CrossWait wait;
  wait.kind = CrossWait::Count;
  wait.instruction = "GroupBarrier::Wait";
  checkIndex(wait.instruction, index, place.waiters);
  int32_t* word = arrivalsOf(wait.instruction, place, index);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  wait.word = word;
  wait.target = uint64_t(round) * place.arrivers;
  if (*word < static_cast<int64_t>(wait.target)) waitFor(wait);
  acquireAt(word);
}

void blockOrderInit(GmAddress workspace, Operand local) {
  checkOwn("InitDetermineComputeWorkspace", local, static_cast<uint32_t>(coresOfMyKind()) * 32 + 32);
  *wordAt("InitDetermineComputeWorkspace", workspace, core->block) = 0;
  scalarCycles(pollAllCycles);
}

void blockOrderWait(GmAddress workspace, Operand local) {
  checkOwn("WaitPreBlock", local, static_cast<uint32_t>(coresOfMyKind()) * 32 + 32);
  wordAt("WaitPreBlock", workspace, core->block);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  CrossWait wait;
  wait.kind = CrossWait::Turn;
  wait.instruction = "WaitPreBlock";
  wait.target = uint64_t(core->turns++) * static_cast<uint64_t>(coresOfMyKind()) + core->block;
  if (device.turnsTaken < wait.target) waitFor(wait);
  acquireRelease(device.releasedByTurn);
}

void blockOrderNotify(GmAddress workspace, Operand local) {
  checkOwn("NotifyNextBlock", local, static_cast<uint32_t>(coresOfMyKind()) * 32 + 32);
  wordAt("NotifyNextBlock", workspace, core->block);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  addTo(device.releasedByTurn, releaseAll());
  ++device.turnsTaken;
}

namespace {

Pipe pipeOfFlag(pipe_t pipe) {
  constexpr Pipe pipes[] = {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::S, Pipe::FIX};
  Pipe own = static_cast<size_t>(pipe) < sizeof pipes / sizeof *pipes ? pipes[pipe] : Pipe::S;
  if (own == Pipe::S)
    trap({Check::ParameterRange, "CrossCoreSetFlag", "the flag is set by PIPE_S or PIPE_ALL",
          "name the pipe whose work the flag follows: PIPE_MTE3 or PIPE_MTE2, on cube cores PIPE_FIX"});
  return own;
}

// Who sets a flag together: all cores of the kind, or those of the kind in the group.
SyncPoint& pointOf(uint8_t mode, uint16_t flag) {
  bool overAll = mode == 0;
  SyncPoint& point = device.flags[{mode, core->isCube, flag, overAll ? 0 : core->group}];
  if (point.participants.empty()) point.participants = numbersOf(overAll ? ofMyKind : ofMyKindAndGroup);
  return point;
}

}  // namespace

void crossCoreSet(uint8_t mode, pipe_t pipe, uint16_t flag) {
  const char* name = "CrossCoreSetFlag";
  if (flag >= crossFlags)
    trap({Check::EventId, name, text("flag id %u is out of range 0..15", flag), "use the ids 0 to 15"});
  Pipe own = pipeOfFlag(pipe);
  if (mode != 0 && !device.isMixed()) {
    trap({Check::Unsupported, name, text("mode %u needs a kernel of cube and vector cores", mode),
          "declare KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2, or use mode 0 among the cores of one kind"});
  }
  if (mode == 1 && core->isCube)
    trap({Check::ParameterRange, name, "mode 1 is among the vector cores of a group",
          "use mode 2 between the cube core and its vector cores"});
  requireMeetings(name);
  SyncPoint& point = pointOf(mode, flag);
  SyncRoundPointer round = point.arrive(core->number, device.nextSyncToken);
  round->isOverAll = mode == 0;
  round->released.join(releaseClock(core->hazards.clockAfter(own)));
  meet(TraceEntry::CrossSet, own, round->token);
  auto overflow = [&](const Core& of) {
    trap({Check::ErrorSync4, name,
          text("flag %u of %s is set more than %zu times without a wait", flag, of.label().c_str(), crossFlagLimit),
          "wait for the flag before setting it again"});
  };
  if (point.incomplete.size() > crossFlagLimit) overflow(*core);
  if (round->arrived.size() < point.participants.size()) return;
  for (Core* other : device.cores) {
    const bool waits = mode == 0   ? ofMyKind(*core, *other)
                       : mode == 1 ? ofMyKindAndGroup(*core, *other)
                                   : opposite(*core, *other);
    if (!waits) continue;
    if (other->flagsToWaitFor[flag].size() == crossFlagLimit) overflow(*other);
    other->flagsToWaitFor[flag].push_back(round);
  }
}

void crossCoreWait(uint16_t flag) {
  const char* name = "CrossCoreWaitFlag";
  if (flag >= crossFlags)
    trap({Check::EventId, name, text("flag id %u is out of range 0..15", flag), "use the ids 0 to 15"});
  CrossWait wait;
  wait.kind = CrossWait::Flag;
  wait.instruction = name;
  wait.flag = flag;
  auto& rounds = core->flagsToWaitFor[flag];
  if (rounds.empty()) waitFor(wait);
  const TraceEntry::Kind kind = rounds.front()->isOverAll ? TraceEntry::CrossWaitAll : TraceEntry::CrossWait;
  meet(kind, Pipe::S, rounds.front()->token);
  acquire(rounds.front()->released);
  rounds.erase(rounds.begin());
}

}  // namespace npu_emu
