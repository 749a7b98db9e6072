// Flags and barriers between cores.
#include "cross_core.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>

#include "device.h"
#include "dma.h"
#include "dry_run.h"
#include "issue.h"
#include "late_copies.h"
#include "library.h"
#include "written_bytes.h"

namespace npu_emu {

// Flags lie in blocks of 32 bytes: in global memory one for each core, and likewise where a core looks at them.
static constexpr uint32_t flagBytes = 32, flagWords = flagBytes / sizeof(int32_t);

void landStores() {
  if (core->lateStores != nullptr) core->lateStores->landAll();
}

static void leaveUntil(CrossWait wait) {
  wait.where = core->place;
  core->crossWait = wait;
  core->state = CoreState::Waiting;
  leaveFiber(core->fiber);
}

void waitFor(CrossWait wait) {
  if (core->late != nullptr) core->late->landAll();
  landStores();
  leaveUntil(std::move(wait));
}

void letOthersGoOn(const char* instruction) {
  CrossWait wait;
  wait.kind = CrossWait::Yield;
  wait.instruction = instruction;
  leaveUntil(std::move(wait));
}

// What was told by words that lie within it is overwritten.
void releaseWord(const uint8_t* address, uint32_t bytes, Release release) {
  auto& words = device.releasedByWord;
  for (auto word = words.lower_bound(address); word != words.end() && word->first < address + bytes;)
    word = word->first + word->second.bytes <= address + bytes ? words.erase(word) : std::next(word);
  release.bytes = bytes;
  words[address] = std::move(release);
}

CrossCoreClock releaseClock(const VectorClock& own) {
  CrossCoreClock released = core->otherCores;
  released.joinCore(core->number, own);
  released.cycles = std::max(released.cycles, core->ticker.cycles());
  ++core->releases;
  return released;
}

void acquire(const CrossCoreClock& released) {
  core->otherCores.join(released);
  core->ticker.waitUntil(released.cycles);
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

// What others have told past their caches, by words of any size that have one of these bytes.
void acquireWords(const uint8_t* begin, uint32_t bytes) {
  const uint8_t* end = begin + bytes;
  // none is longer than a block of flags
  for (auto word = device.releasedByWord.upper_bound(begin - flagBytes);
       word != device.releasedByWord.end() && word->first < end; ++word)
    if (word->first + word->second.bytes > begin) acquireRelease(word->second);
}
void acquireFlag(const int32_t* word) { acquireWords(reinterpret_cast<const uint8_t*>(word), sizeof *word); }
// And by the line that they lie in.
void acquireWordsAndLine(const uint8_t* begin, uint32_t bytes) {
  acquireWords(begin, bytes);
  const auto line = device.releasedByLine.find(lineOf(begin));
  if (line != device.releasedByLine.end()) acquireRelease(line->second);
}

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
  landStores();
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
  released.cycles = std::max(released.cycles, core->ticker.cycles());
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

// What this core has stored by SetValue is in no memory as long as it has not cleaned the line; nor is what another one has, which
// it would have to have done before.
bool isOnlyInCache(const uint8_t* begin, const uint8_t* end) {
  if (core->dataCache.isAheadOfMemory(begin, end)) return true;
  const auto& others = device.coresWithStores;
  return std::any_of(others.begin(), others.end(),
                     [&](const Core* other) { return other->dataCache.isAheadOfMemory(begin, end); }) &&
         device.gm.isStoredByAnother(begin, end, *core, GlobalShadow::Order::Known);
}

void requireCleaned(const char* instruction, const uint8_t* address, uint32_t bytes) {
  const GmRegion* region = regionAt(address);
  if (region == nullptr || !isOnlyInCache(address, address + bytes)) return;
  report({Check::ErrorSync2, instruction,
          text("reads bytes of %s that SetValue has stored, and only the data cache of a scalar unit has",
               region->name.c_str()),
          "call DataCacheCleanAndInvalid for the lines that SetValue has stored to"});
}

int32_t* wordAt(const char* instruction, GmAddress workspace, int64_t slot, uint32_t slots = 1) {
  GmAddress address = workspace + slot * flagBytes;
  inspect(instruction, GmExtent{address, uint64_t(slots) * flagBytes, writes});
  requireCleaned(instruction, address, slots * flagBytes);
  return reinterpret_cast<int32_t*>(address);
}

// The core looks at flags in local memory: they are copied there, over what was there. How many have come by then follows from the
// time, so that nobody can go by them: what is left there is garbage.
void look(const char* instruction, const int32_t* flags, const Operand& local, uint32_t count) {
  const auto* from = reinterpret_cast<const uint8_t*>(flags);
  const uint32_t bytes = count * flagBytes;
  requireCleaned(instruction, from, bytes);
  issue({instruction, Pipe::S, 0}, {Extent{local, bytes, writes, "ubWorkspace"}, GmExtent{from, bytes, reads}},
        [&] { std::memset(local.address, garbage, bytes); });
}

// What a core may find there before its barrier of that number: how often each has come.
void checkFlag(const int32_t* flags, uint32_t block, uint32_t own, uint32_t number) {
  const int32_t flag = flags[block * flagWords];
  const bool isOwn = block == own;
  if (flag >= 0 && static_cast<uint32_t>(flag) <= (isOwn ? number - 1 : number)) return;
  const std::string whose = isOwn ? "the core" : text("AIV %u", block);
  trap({Check::ErrorSync4, "SyncAll",
        text("the flag of %s in gmWorkspace is %d before barrier %u", whose.c_str(), flag, number),
        "set all of gmWorkspace to zero before the kernel starts or on every core, and keep other data out of it"});
}

// The library stores flags by a copy, which adds them to those that are there, or compares, as all copies do while that is set.
void requirePlainStores(const char* instruction) {
  requireSet(Register::Atomic, instruction);
  if (core->atomic == vec::Atomic::None) return;
  trap({Check::ErrorSync4, instruction,
        "it stores its flags by a copy, which does not overwrite what is there while stores are atomic",
        "call SetAtomicNone before"});
}

// Cores that wait for each other have to be there together: the framework orders those that come later behind all others.
void requireAllAtOnce(const char* instruction) {
  if (device.groups <= device.groupsAtOnce) return;
  trap({Check::Deadlock, instruction,
        text("cores wait for others, and of %u blocks %u run at a time", device.groups, device.groupsAtOnce),
        "limit the block dim to GetCoreNumAiv() or GetCoreNumAic()"});
}

}  // namespace

void syncAllSoft(GmAddress workspace, Operand local, int32_t usedCores, bool isAIVOnly) {
  const char* name = "SyncAll";
  if (core->isCube) return;
  requirePlainStores(name);
  requireFreeIds(name, {HardEvent::MTE2_S, HardEvent::S_MTE3, HardEvent::MTE3_MTE2, HardEvent::S_MTE2});
  // the flag is that of the group then, whichever of its vector cores comes
  const uint32_t shared = isAIVOnly ? device.vectorCoresPerGroup : 1, ownBlock = core->block / shared;
  const int64_t count = coresOfMyKind() / shared, given = usedCores == 0 ? count : usedCores;
  if (given < 0 || given > count)
    trap({Check::ParameterRange, name,
          text("usedCores %d is out of range 1..%lld", usedCores, static_cast<long long>(count)),
          "pass the number of cores that take part"});
  const auto used = static_cast<uint32_t>(given);
  if (ownBlock >= used)
    trap({Check::ErrorSync4, name,
          text("AIV %u comes to a barrier of the first %u cores, which do not wait for it", ownBlock, used),
          "pass the number of all cores that come, or let only the first usedCores cores come"});
  int32_t* own = wordAt(name, workspace, ownBlock);
  barrierOfAllPipes();
  CrossWait wait;
  wait.kind = CrossWait::SoftBarrier;
  wait.instruction = name;
  wait.word = reinterpret_cast<const int32_t*>(workspace);
  wait.cores = used;
  wait.block = ownBlock;
  look(name, wait.word, local, used);
  const uint32_t number = ++core->softBarriers[workspace];
  SyncRound& round = device.softBarriers[{workspace, number}];
  for (const uint32_t other : round.arrived)
    if (device.cores[other]->block / shared == ownBlock)
      trap({Check::ErrorSync4, name,
            text("AIV %u and %u come to one barrier, and have one flag", device.cores[other]->block, core->block),
            "in a kernel that has cube cores too, call SyncAll<false>, or let one vector core of each group come"});
  checkFlag(wait.word, ownBlock, ownBlock, number);
  for (uint32_t block = 0; block < used; ++block) checkFlag(wait.word, block, ownBlock, number);
  wait.value = *own + 1;
  if (round.arrived.empty()) round.cores = used;
  if (round.cores != used)
    trap({Check::ErrorSync4, name,
          text("the core waits for %u cores, and others wait for %u at the same barrier", used, round.cores),
          "pass the same usedCores on every core"});
  round.arrived.push_back(core->number);
  scalarCycles(pollAllCycles);
  if (round.token == 0) round.token = device.nextSyncToken++;
  round.released.join(releaseAll());
  meet(TraceEntry::SyncAll, Pipe::S, round.token);
  const bool isFirst = wait.value == 1;
  if (!isFirst) *own = wait.value;
  waitFor(wait);
  if (isFirst) *own = wait.value;
  if (round.arrived.size() < used)
    trap({Check::ErrorSync4, name,
          text("the flags in gmWorkspace let the core pass when %zu of %u cores have come", round.arrived.size(), used),
          "keep other data out of gmWorkspace, and set it to zero before the first core comes"});
  acquire(round.released);
  look(name, wait.word, local, used);
  barrierOfAllPipes();
}

// Whether the flags of a soft barrier add up. A core that comes for the first time stores its flag again whenever it
// looks, so that others may still clear all of them until they come.
bool haveCome(const CrossWait& wait) {
  int64_t sum = 0;
  for (uint32_t block = 0; block < wait.cores; ++block) sum += wait.word[block * flagWords];
  for (const Core* other : device.cores) {
    const CrossWait& theirs = other->crossWait;
    const bool comesFirst = other->state == CoreState::Waiting && theirs.kind == CrossWait::SoftBarrier &&
                            theirs.word == wait.word && theirs.value == 1;
    if (comesFirst && theirs.block < wait.cores) sum += 1 - wait.word[theirs.block * flagWords];
  }
  return sum >= int64_t(wait.cores) * wait.value;
}

namespace {

// Of a block and an event: of each event there is one for every group, or for every vector core.
int64_t flagOf(int32_t block, int32_t event, bool isAIVOnly) {
  return blockCount() * (isAIVOnly ? 1 : device.vectorCoresPerGroup) * event + block;
}

// Cores meet where one of them stores and another one looks, whichever comes first.
void meetAt(const uint8_t* address) {
  if (device.meetings.any()) return;
  device.meetings.look(address, core->number);
  const uint8_t* line = lineOf(address);
  if (device.gm.isStoredByAnother(line, line + cacheLineBytes, *core, GlobalShadow::Order::Any)) device.meetings.meet();
}

// The word of a flag, once it has the value that is waited for.
int32_t* awaitWord(const char* instruction, GmAddress workspace, int64_t block, int32_t value) {
  int32_t* word = wordAt(instruction, workspace, block);
  // several may wait for one word: whose turn it is then is not told
  meetAt(reinterpret_cast<const uint8_t*>(word));
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  CrossWait wait;
  wait.kind = CrossWait::Word;
  wait.instruction = instruction;
  wait.word = word;
  wait.value = value;
  if (*word != value) waitFor(wait);
  acquireFlag(word);
  return word;
}

// Stores what the other side waits for. Nobody else waits for what was stored before.
void tell(int32_t* word, int32_t value) {
  Release release;
  addTo(release, releaseAll());
  releaseWord(reinterpret_cast<const uint8_t*>(word), sizeof *word, std::move(release));
  *word = value;
}

}  // namespace

void blockSet(GmAddress workspace, Operand local, int32_t block, int32_t event, bool isAIVOnly) {
  if (core->isCube) return;
  requireAllAtOnce("IBSet");
  requirePlainStores("IBSet");
  requireFreeIds("IBSet", {HardEvent::MTE2_S, HardEvent::S_MTE3});
  int32_t* word = awaitWord("IBSet", workspace, flagOf(block, event, isAIVOnly), 0);
  tell(word, 1);
  look("IBSet", word, local, 1);
  barrierOfAllPipes();
}

void blockWait(GmAddress workspace, Operand local, int32_t block, int32_t event, bool isAIVOnly) {
  if (core->isCube) return;
  requireAllAtOnce("IBWait");
  requirePlainStores("IBWait");
  requireFreeIds("IBWait", {HardEvent::MTE2_S, HardEvent::S_MTE3});
  int32_t* word = awaitWord("IBWait", workspace, flagOf(block, event, isAIVOnly), 1);
  tell(word, 0);
  look("IBWait", word, local, 1);
  barrierOfAllPipes();
}

// What the scalar unit has done in memory has completed: a flag written from here on releases that.
void dataSyncBarrier(bool ofGlobalMemory) {
  if (!ofGlobalMemory) return scalarCycles(1);
  landStores();
  pipeBarrierOf(Pipe::S);
  core->published = releaseClock(core->hazards.clockAfter(Pipe::S));
}

static CoreOrder::Kind orderOfCores() { return device.request->coreOrder.kind; }
static bool runsInOrder() { return orderOfCores() == CoreOrder::Forward; }

// Before and after what others may look for. In reverse order each core is as far ahead of the others as waits allow.
static void letOthersStoreOrLook(const char* instruction) {
  if (!runsInOrder()) core->looks = 0;
  if (orderOfCores() != CoreOrder::Reverse) letOthersRun(instruction);
}

void flagWriteGm(GmAddress dst, uint64_t bits, uint32_t bytes) {
  const char* name = "WriteGmByPassDCache";
  requireElement(name, bytes);
  device.meetings.store(dst, core->number);
  // where it is kept back, others go on when it lands
  if (device.request->lateCopies) needComputed();
  // others may store since it was read: who counts so loses some
  letOthersStoreOrLook(name);
  const auto* content = reinterpret_cast<const uint8_t*>(&bits);
  issue({name, Pipe::S, pollAllCycles}, GmExtent{dst, bytes, writes, 1, 0, content, 0, flagKind}, [&] {
    // what is there already is what a line holds as well
    if (std::memcmp(dst, content, bytes) != 0) core->dataCache.storeAround(dst, dst + bytes);
    if (core->lateStores == nullptr) std::memcpy(dst, content, bytes);
  });
  Release release;
  addTo(release, core->published);
  if (core->lateStores != nullptr)
    return core->lateStores->keepBack(LateStores::Kind::Word, dst, content, bytes, std::move(release));
  releaseWord(dst, bytes, std::move(release));
  // who waits for it need not wait for what this core does next
  letOthersStoreOrLook(name);
}

constexpr uint32_t looksInVain = 256, looksAfterThat = 16;

// Where cores run in their order, who looks for what another one stores lets the others go on. They need not have come there yet:
// in reverse order many looks are in vain, and who does not look again goes on without. So many take longer than any barrier; who
// has had them, and has stored nothing since, waits for others most likely.
// In a shuffled order it is drawn, and some cores are as far ahead as in reverse order.
static bool isTimeForOthers() {
  const auto haveLooksBeenInVain = [] { return ++core->looks >= looksInVain && core->looks % looksAfterThat == 0; };
  switch (orderOfCores()) {
    case CoreOrder::Forward: return true;
    case CoreOrder::Reverse: return haveLooksBeenInVain();
    case CoreOrder::Shuffled: return core->isAhead ? haveLooksBeenInVain() : device.chance.below(2) == 0;
  }
  return true;
}

void letOthersRun(const char* instruction) {
  if (!isTimeForOthers()) return;
  CrossWait wait;
  wait.kind = CrossWait::Yield;
  wait.instruction = instruction;
  waitFor(wait);
}

namespace {

// A look that finds what the last one has found is in vain, and lets the others go on. Who looks once sees what is there now.
void lookForOthers(const char* instruction, const uint8_t* address, uint32_t bytes) {
  device.polls = true;
  meetAt(address);
  if (!runsInOrder()) return letOthersRun(instruction);
  const GmRegion* region = regionAt(address);
  // an address that is none is reported when it is read
  if (region == nullptr || !isWithin(address, bytes, region->base, paddedBytes(*region))) return;
  const auto now = [&] { return std::hash<std::string_view>{}({reinterpret_cast<const char*>(address), bytes}); };
  constexpr size_t mostPlaces = 1024;
  if (core->found.size() == mostPlaces) core->found.clear();
  const auto [last, isFirst] = core->found.try_emplace(address, now());
  if ((!isFirst && last->second == now()) || ++core->looks % looksInVain == 0) letOthersRun(instruction);
  last->second = now();
}

}  // namespace

void flagReadGm(GmAddress src, uint32_t bytes) {
  lookForOthers("ReadGmByPassDCache", src, bytes);
  requireCleaned("ReadGmByPassDCache", src, bytes);
  requireWritten("ReadGmByPassDCache", src, bytes);
  acquireWordsAndLine(src, bytes);
  issue({"ReadGmByPassDCache", Pipe::S, pollAllCycles}, GmExtent{src, bytes, reads, 1, 0, nullptr, 0, flagKind});
}

namespace {

bool isPolled(const uint8_t* address) {
  return std::find(core->polled.begin(), core->polled.end(), lineOf(address)) != core->polled.end();
}

void notePolled(const uint8_t* line) {
  constexpr size_t limit = 16;
  if (isPolled(line)) return;
  if (core->polled.size() == limit) core->polled.pop_front();
  core->polled.push_back(line);
}

// The line goes to memory later: until then it has what was there before the core stored to it.
void keepLineBack(uint8_t* line, const DataCache::Stored& stored) {
  Release release;
  release.clock = releaseClock(core->hazards.clockAfter(Pipe::S));
  addMoment(release);
  core->lateStores->keepBack(LateStores::Kind::Line, line, line, cacheLineBytes, std::move(release));
  for (uint32_t i = 0; i < cacheLineBytes; ++i)
    if ((stored.bytes >> i & 1) != 0) line[i] = stored.before[i];
}

}  // namespace

void releaseLine(const uint8_t* address, const DataCache::Stored& stored) {
  // a dry run knows of no line that is stored to
  needComputed();
  const uint8_t* line = lineOf(address);
  const GmRegion* region = regionAt(line);
  const bool isWhole = region != nullptr && isWithin(line, cacheLineBytes, region->base, paddedBytes(*region));
  notePolled(line);
  if (stored.bytes != 0) device.meetings.store(line, core->number);
  if (stored.bytes != 0 && isWhole && core->lateStores != nullptr) {
    device.polls = true;
    return keepLineBack(const_cast<uint8_t*>(line), stored);
  }
  Release& release = device.releasedByLine[line];
  release.clock.join(releaseClock(core->hazards.clockAfter(Pipe::S)));
  // who cleans a line to see what others store in it keeps nobody waiting
  if (release.tokens.empty() || !isWhole || std::memcmp(release.line.data(), line, release.line.size()) != 0)
    addMoment(release);
  if (isWhole) std::memcpy(release.line.data(), line, release.line.size());
  const char* name = "DataCacheCleanAndInvalid";
  if (stored.bytes == 0) return lookForOthers(name, line, cacheLineBytes);
  device.polls = true;
  letOthersRun(name);
}

bool acquireFromLine(const uint8_t* address, uint32_t bytes) {
  if (!isPolled(address)) return false;
  acquireWordsAndLine(address, bytes);
  return true;
}

void letOthersStore(const uint8_t* address) {
  if (isPolled(address)) letOthersStoreOrLook("SetValue");
}

namespace {

// In every slot of the workspace: how many have arrived, which the core that waits there looks for, and how many have gone
// on, which the core that arrives there looks for.
enum class Counter : uint32_t { Arrivals = 0, Passed = 64 };

int32_t* counterOf(const char* instruction, const GroupBarrierPlace& place, uint32_t index, Counter counter) {
  if (reinterpret_cast<uintptr_t>(place.workspace) % groupBarrierSlot != 0)
    trap({Check::ErrorWrite4, instruction, "the workspace of a GroupBarrier is not aligned to 512 bytes",
          "align groupWorkspace to 512 bytes"});
  const uint64_t offset = uint64_t(index) * groupBarrierSlot + static_cast<uint32_t>(counter);
  return wordAt(instruction, place.workspace + offset, 0);
}

// As many slots as the larger side has cores.
void countOne(const char* instruction, const GroupBarrierPlace& place, Counter counter) {
  requireFreeIds(instruction, {AscendC::HardEvent::S_MTE3});
  const uint32_t slots = std::max(place.arrivers, place.waiters);
  for (uint32_t i = 0; i < slots; ++i) {
    int32_t* word = counterOf(instruction, place, i, counter);
    *word = static_cast<int32_t>(static_cast<uint32_t>(*word) + 1);
  }
  if (core->isCube) return;
  // the library counts by a copy that adds a block to each slot, and leaves plain stores behind
  orderPipes(Pipe::S, Pipe::MTE3);
  core->atomic = vec::Atomic::Add;
  const uint8_t* first = place.workspace + static_cast<uint32_t>(counter);
  issue(
      transferOf(instruction, Pipe::MTE3, slots, uint64_t(slots) * flagBytes),
      [&](Touches&) { core->trace.addTransfer(first, flagBytes, slots, groupBarrierSlot); }, [] {});
  core->atomic = vec::Atomic::None;
  markSet(Register::Atomic);
}

void checkIndex(const char* instruction, uint32_t index, uint32_t size) {
  if (index < size) return;
  trap({Check::ParameterRange, instruction,
        text("the index %u is out of range 0..%lld", index, static_cast<long long>(size) - 1),
        "number the cores of each side from 0 on"});
}

// What the barrier at a workspace has seen. Who sets the counters to zero begins it anew.
GroupBarrierState& stateOf(const char* instruction, const GroupBarrierPlace& place) {
  GroupBarrierState& state = device.groupBarriers[place.workspace];
  if (*counterOf(instruction, place, 0, Counter::Arrivals) == 0 || state.arrivers == 0)
    state = {place.arrivers, place.waiters, 0, {}};
  if (state.arrivers != place.arrivers || state.waiters != place.waiters)
    trap({Check::ErrorSync4, instruction,
          text("the barrier is of %u cores that arrive and %u that wait, and elsewhere of %u and %u", place.arrivers,
               place.waiters, state.arrivers, state.waiters),
          "pass the same sizes on every core"});
  return state;
}

}  // namespace

void groupArrive(const GroupBarrierPlace& place, uint32_t index, uint32_t round) {
  CrossWait wait;
  wait.kind = CrossWait::Count;
  wait.instruction = "GroupBarrier::Arrive";
  checkIndex(wait.instruction, index, place.arrivers);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  GroupBarrierState& state = stateOf(wait.instruction, place);
  // nobody arrives again before all that wait have gone on
  if (round > 1) {
    int32_t* passed = counterOf(wait.instruction, place, index, Counter::Passed);
    wait.word = passed;
    wait.target = uint64_t(round - 1) * place.waiters;
    if (*passed < static_cast<int64_t>(wait.target)) waitFor(wait);
    if (*passed != static_cast<int64_t>(wait.target))
      trap({Check::ErrorSync4, wait.instruction,
            text("%d cores have gone on by the counter, which is to be %llu: the core waits for ever", *passed,
                 static_cast<unsigned long long>(wait.target)),
            "set all of groupWorkspace to zero before the first core comes, and keep other data out of it"});
  }
  GroupBarrierRound& arrivals = state.rounds[round];
  if (!arrivals.indices.insert(index).second)
    trap({Check::ErrorSync4, wait.instruction,
          text("the index %u arrives twice in round %u, and those that wait go on before all have come", index, round),
          "give each core that arrives an index of its own, and make the barrier for as many"});
  const CrossCoreClock released = releaseAll();
  for (uint32_t i = 0; i < place.waiters; ++i) addTo(arrivals.releases[i], released);
  countOne(wait.instruction, place, Counter::Arrivals);
}

void groupWait(const GroupBarrierPlace& place, uint32_t index, uint32_t round) {
  CrossWait wait;
  wait.kind = CrossWait::Count;
  wait.instruction = "GroupBarrier::Wait";
  checkIndex(wait.instruction, index, place.waiters);
  int32_t* word = counterOf(wait.instruction, place, index, Counter::Arrivals);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  stateOf(wait.instruction, place);
  wait.word = word;
  wait.target = uint64_t(round) * place.arrivers;
  if (*word < static_cast<int64_t>(wait.target)) waitFor(wait);
  GroupBarrierState& state = stateOf(wait.instruction, place);
  GroupBarrierRound& arrivals = state.rounds[round];
  if (arrivals.indices.size() < place.arrivers)
    trap({Check::ErrorSync4, wait.instruction,
          text("the counter lets the core pass when %zu of %u cores have arrived in round %u", arrivals.indices.size(),
               place.arrivers, round),
          "set groupWorkspace to zero before the first core comes, and keep other data out of it"});
  acquireRelease(arrivals.releases[index]);
  countOne(wait.instruction, place, Counter::Passed);
  if (++state.passed == static_cast<int64_t>(round) * place.waiters) arrivals.releases.clear();
}

namespace {

uint32_t blocksInOrder() { return static_cast<uint32_t>(blockCount()); }

// How many rounds the core has begun, itself included: behind the flags in its local memory.
Operand roundIn(const Operand& local) {
  Operand round = local;
  round.address += blocksInOrder() * flagBytes;
  return round;
}

int32_t readRound(const char* instruction, const Operand& local) {
  const Operand at = roundIn(local);
  int32_t round = 0;
  issue({instruction, Pipe::S, 0}, {{at, sizeof round, reads, "ubWorkspace"}},
        [&] { std::memcpy(&round, at.address, sizeof round); });
  return round;
}

void storeRound(const char* instruction, const Operand& local, int32_t round) {
  const Operand at = roundIn(local);
  issue({instruction, Pipe::S, 0}, {{at, sizeof round, writes, "ubWorkspace"}},
        [&] { std::memcpy(at.address, &round, sizeof round); });
}

// Fills the flags of some blocks, from local memory.
void tellBlocks(const char* instruction, GmAddress workspace, const Operand& local, uint32_t first, uint32_t count,
                int32_t value) {
  requirePlainStores(instruction);
  int32_t* flags = wordAt(instruction, workspace, first, count);
  Release release;
  addTo(release, releaseAll());
  for (uint32_t block = 0; block < count; ++block)
    releaseWord(reinterpret_cast<const uint8_t*>(flags + block * flagWords), flagBytes, release);
  std::fill_n(flags, count * flagWords, value);
  Operand own = local;
  own.address += first * flagBytes;
  look(instruction, flags, own, count);
}

}  // namespace

// Whether all blocks before this one have had their turn in its round, and it and all behind it have not.
bool isTurn(const CrossWait& wait) {
  for (uint32_t block = 0; block < wait.cores; ++block)
    if (wait.word[block * flagWords] != (block < wait.target ? wait.value : 0)) return false;
  return true;
}

void blockOrderInit(GmAddress workspace, Operand local) {
  const char* name = "InitDetermineComputeWorkspace";
  if (core->isCube) return;
  requireAllAtOnce(name);
  barrierOfAllPipes();
  if (core->block == 0) tellBlocks(name, workspace, local, 0, blocksInOrder(), 0);
  storeRound(name, local, 1);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
}

void blockOrderWait(GmAddress workspace, Operand local) {
  if (core->isCube) return;
  CrossWait wait;
  wait.kind = CrossWait::Turn;
  wait.instruction = "WaitPreBlock";
  requireAllAtOnce(wait.instruction);
  wait.word = wordAt(wait.instruction, workspace, 0, blocksInOrder());
  wait.cores = blocksInOrder();
  wait.target = core->block;
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  wait.value = readRound(wait.instruction, local);
  if (!isTurn(wait)) waitFor(wait);
  for (uint32_t block = 0; block < wait.cores; ++block) acquireFlag(wait.word + block * flagWords);
  look(wait.instruction, wait.word, local, wait.cores);
  barrierOfAllPipes();
}

void blockOrderNotify(GmAddress workspace, Operand local) {
  const char* name = "NotifyNextBlock";
  if (core->isCube) return;
  requireAllAtOnce(name);
  barrierOfAllPipes();
  scalarCycles(pollAllCycles);
  const int32_t round = readRound(name, local);
  // the last one begins the next round
  if (core->block + 1 == blocksInOrder()) tellBlocks(name, workspace, local, 0, blocksInOrder(), 0);
  else tellBlocks(name, workspace, local, core->block, 1, round);
  storeRound(name, local, round + 1);
  barrierOfAllPipes();
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

static void setCrossFlag(const char* name, uint8_t mode, pipe_t pipe, uint16_t flag) {
  if (flag >= crossFlags)
    trap({Check::EventId, name, text("flag id %u is out of range 0..15", flag), "use the ids 0 to 15"});
  Pipe own = pipeOfFlag(pipe);
  if (mode != 0 && !device.isMixed()) {
    trap({Check::Unsupported, name, text("mode %u needs a kernel of cube and vector cores", mode),
          "declare KERNEL_TYPE_MIX_AIC_1_1 or KERNEL_TYPE_MIX_AIC_1_2, or use mode 0 among the cores of one kind"});
  }
  landStores();
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

void crossCoreSet(uint8_t mode, pipe_t pipe, uint16_t flag) {
  const char* name = "CrossCoreSetFlag";
  setCrossFlag(name, mode, pipe, flag);
  // who waits for it may be done before this core does what it does next
  if (orderOfCores() == CoreOrder::Shuffled) letOthersRun(name);
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
