// Flags and barriers within a core, scalar access and system variables.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "device.h"
#include "dry_run.h"
#include "instruction_stream.h"
#include "issue.h"
#include "profile.h"
#include "written_bytes.h"

namespace npu_emu {

namespace {

uint32_t flagToken(HardEvent event, int32_t id) {
  return firstFlagToken + static_cast<uint32_t>(event) * eventIds + static_cast<uint32_t>(id);
}

void checkId(const char* instruction, HardEvent event, int32_t id) {
  if (static_cast<size_t>(event) >= eventCount || id < 0 || id >= static_cast<int32_t>(eventIds)) {
    trap({Check::EventId, instruction, text("event id %d is out of range 0..7", id),
          "take ids from FetchEventID or AllocEventID"});
  }
}

// A flag counts its sets: each wait is for the oldest one. What a set releases is kept apart from what later ones do.
uint32_t tokenOfRepeatedSet(const char* instruction, HardEvent event, int32_t id) {
  Finding finding{Check::ErrorSync4, instruction,
                  text("HardEvent::%s id %d is set twice without a wait between", nameOf(event), id),
                  "wait for the flag before setting it again, or use another event id, from FetchEventID"};
  finding.isHarmless = true;
  report(std::move(finding));
  std::deque<uint32_t>& tokens = core->repeatedSets[flagToken(event, id)];
  if (tokens.empty()) tokens.push_back(flagToken(event, id));
  return tokens.emplace_back(firstTokenOfRepeatedSets + core->repeatedSetTokens++);
}

uint32_t tokenOfOldestSet(HardEvent event, int32_t id) {
  const uint32_t own = flagToken(event, id);
  const auto found = core->repeatedSets.find(own);
  if (found == core->repeatedSets.end()) return own;
  const uint32_t oldest = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) core->repeatedSets.erase(found);
  if (core->repeatedSets.empty()) core->repeatedSetTokens = 0;
  return oldest;
}

uint8_t& setsOf(HardEvent event, int32_t id) {
  return core->flags[static_cast<size_t>(event)][static_cast<size_t>(id)];
}

// The token of one more set, and of the oldest one that nothing has waited for.
uint32_t tokenOfSet(const char* instruction, HardEvent event, int32_t id) {
  uint8_t& sets = setsOf(event, id);
  const uint32_t token = sets == 0 ? flagToken(event, id) : tokenOfRepeatedSet(instruction, event, id);
  if (sets < UINT8_MAX) ++sets;
  return token;
}

uint32_t tokenOfWait(const char* instruction, HardEvent event, int32_t id) {
  uint8_t& sets = setsOf(event, id);
  if (sets == 0) {
    trap({Check::ErrorSync3, instruction,
          text("waits for HardEvent::%s id %d, which nothing has set: the core hangs", nameOf(event), id),
          "set the flag on the producing pipe before waiting for it"});
  }
  --sets;
  return core->repeatedSets.empty() ? flagToken(event, id) : tokenOfOldestSet(event, id);
}

int8_t firstFreeId(HardEvent event) {
  const auto taken = core->allocatedEvents[static_cast<size_t>(event)];
  for (int8_t id = 0; id < static_cast<int8_t>(eventIds); ++id)
    if ((taken >> id & 1) == 0) return id;
  return noEventId;
}

[[noreturn]] void noIdIsLeft(const char* instruction, HardEvent event) {
  trap({Check::EventId, instruction, text("all event ids of HardEvent::%s are allocated", nameOf(event)),
        "release ids with ReleaseEventID, and free tensors of queues, which need one for each that is on its way; "
        "queues "
        "of depth 0 keep one for each of their buffers"});
}

void take(HardEvent event, int32_t id) {
  core->allocatedEvents[static_cast<size_t>(event)] |= static_cast<uint8_t>(1u << id);
}

void giveBack(HardEvent event, int32_t id) {
  core->allocatedEvents[static_cast<size_t>(event)] &= static_cast<uint8_t>(~(1u << id));
}

}  // namespace

void orderScalarAfter(Memory memory) {
  if (!device.request->autoSync || memory != Memory::UB || !core->trace.hasUnordered()) return;
  orderAutomatically(Pipe::V, Pipe::S);
  orderAutomatically(Pipe::MTE2, Pipe::S);
  core->trace.setOrdered();
}

namespace {

// Flags of pipes that the core does not have: SetFlag and WaitFlag of the library return at once there.
bool isOfOtherCores(HardEvent event) {
  switch (event) {
    case HardEvent::MTE2_MTE1:
    case HardEvent::MTE1_MTE2:
    case HardEvent::MTE1_M:
    case HardEvent::M_MTE1:
    case HardEvent::M_FIX:
    case HardEvent::FIX_M: return !core->isCube;
    case HardEvent::MTE2_V:
    case HardEvent::V_MTE2:
    case HardEvent::MTE3_V:
    case HardEvent::V_MTE3:
    case HardEvent::V_V:
    case HardEvent::S_V:
    case HardEvent::V_S: return core->isCube;
    default: return false;
  }
}

// Of these the library sets flags, and has no wait: not on any core, or not on vector cores.
bool hasNoWait(HardEvent event) {
  switch (event) {
    case HardEvent::M_V:
    case HardEvent::V_M:
    case HardEvent::MTE1_V:
    case HardEvent::V_MTE1: return true;
    case HardEvent::MTE3_MTE1:
    case HardEvent::MTE1_MTE3:
    case HardEvent::MTE2_M:
    case HardEvent::M_MTE2: return !core->isCube;
    default: return false;
  }
}

void requireWait(const char* instruction, HardEvent event) {
  if (hasNoWait(event))
    trap({Check::ErrorSync3, instruction,
          text("the library has no wait for HardEvent::%s on this core: it orders nothing, and the flag stays set",
               nameOf(event)),
          "order the pipes that the core has: MTE2, V and MTE3 of vector cores, MTE2, MTE1, M and FIX of cube cores"});
}

// A flag within one pipe is a barrier of it: V_V where it is set, and nothing where it is waited for; FIX_FIX at both.
bool isWithinPipe(HardEvent event) { return event == HardEvent::V_V || event == HardEvent::FIX_FIX; }
void passBarrier(HardEvent event, bool isSet) {
  if (isSet || event == HardEvent::FIX_FIX) pipeBarrierOf(pipesOf(event).from);
}

}  // namespace

void setFlag(HardEvent event, int32_t id) {
  if (isOfOtherCores(event)) return scalarCycles(1);
  checkId("SetFlag", event, id);
  if (isWithinPipe(event)) return passBarrier(event, true);
  const uint32_t token = tokenOfSet("SetFlag", event, id);
  core->flagsSet[static_cast<size_t>(event) * eventIds + static_cast<size_t>(id)] = core->place;
  setToken(pipesOf(event).from, token, 1);
}

void waitFlag(HardEvent event, int32_t id) {
  if (isOfOtherCores(event)) return scalarCycles(1);
  checkId("WaitFlag", event, id);
  requireWait("WaitFlag", event);
  if (isWithinPipe(event)) return passBarrier(event, false);
  waitForToken(pipesOf(event).to, tokenOfWait("WaitFlag", event, id), 1);
}

void waitForFlagOfPipe(int32_t id) {
  if (setsOf(HardEvent::M_MTE1, id) == 0)
    trap({Check::ErrorSync3, "TPipe",
          text("waits at its end for HardEvent::M_MTE1 id %d, which it has set at its start and the kernel has waited "
               "for: the core hangs",
               id),
          "set the flag again behind the last product, or take ids from AllocEventID: ids 0 to 2 are those of the "
          "TPipe"});
  waitFlag(HardEvent::M_MTE1, id);
}

// Within one pipe it is a barrier.
static bool needsId(HardEvent event) { return event != HardEvent::MAX && pipesOf(event).from != pipesOf(event).to; }

static int8_t takeFreeId(const char* instruction, HardEvent event) {
  const int8_t id = firstFreeId(event);
  if (id == noEventId) noIdIsLeft(instruction, event);
  take(event, id);
  return id;
}

void keepQueueFlag(const char* instruction, EventPipes pipes, QueueFlag& flag) {
  flag.event = eventOf(pipes);
  if (!needsId(flag.event)) return;
  flag.id = takeFreeId(instruction, flag.event);
  flag.isKept = true;
}

void setQueueFlag(const char* instruction, EventPipes pipes, QueueFlag& flag) {
  const HardEvent event = eventOf(pipes);
  if (flag.isKept && isOfOtherCores(event)) return scalarCycles(1);
  flag.isSet = true;
  flag.event = event;
  if (!needsId(event)) return setToken(pipes.from, flag.token, tokenCycles);
  if (!flag.isKept) flag.id = takeFreeId(instruction, event);
  setToken(pipes.from, tokenOfSet(instruction, event, flag.id), tokenCycles);
}

// Where it waits for another event than was set, it waits for that one's flag of the same id: whoever has set it.
void waitForQueueFlag(const char* instruction, EventPipes pipes, QueueFlag& flag, bool givesBack) {
  const HardEvent event = eventOf(pipes);
  if (flag.isKept && isOfOtherCores(event)) return scalarCycles(1);
  requireWait(instruction, event);
  const bool isBarrier = flag.id == noEventId && flag.event == event;
  const int8_t id = flag.id == noEventId ? 0 : flag.id;
  waitForToken(pipes.to, isBarrier ? flag.token : tokenOfWait(instruction, event, id), tokenCycles);
  flag.isSet = false;
  if (flag.isKept || flag.id == noEventId) return;
  if (givesBack) giveBack(event, flag.id);
  flag.id = noEventId;
}

void dropQueueFlag(QueueFlag& flag) {
  if (flag.id == noEventId) return;
  if (flag.isSet && setsOf(flag.event, flag.id) > 0) tokenOfWait("TPipe", flag.event, flag.id);
  giveBack(flag.event, flag.id);
  flag.isSet = flag.isKept = false;
  flag.id = noEventId;
}

void pipeBarrier(pipe_t pipe) {
  constexpr Pipe pipes[] = {Pipe::S, Pipe::V, Pipe::M, Pipe::MTE1, Pipe::MTE2, Pipe::MTE3, Pipe::S, Pipe::FIX};
  if (pipe == PIPE_S)
    trap({Check::ParameterRange, "PipeBarrier", "PIPE_S has no barrier: the hardware refuses it",
          "leave it out: the scalar unit keeps its own order"});
  if (pipe == PIPE_ALL) barrierOfAllPipes();
  else pipeBarrierOf(pipes[pipe]);
}

// Where the flag is set already, the scalar unit does not wait for what the library has just begun, and reads at once.
static void requireUnsetForScalarUnit(const char* instruction, HardEvent event, int8_t id) {
  if (pipesOf(event).to != Pipe::S || setsOf(event, id) == 0) return;
  report({Check::ErrorSync4, instruction,
          text("waits for HardEvent::%s id %d within the library, which the kernel has set before: the scalar unit "
               "reads what is not "
               "there yet",
               nameOf(event), id),
          "wait for the flag before, or take its id from AllocEventID"});
}

void requireFreeIds(const char* instruction, std::initializer_list<HardEvent> events) {
  for (const HardEvent event : events) {
    const int8_t id = firstFreeId(event);
    if (id == noEventId) noIdIsLeft(instruction, event);
    requireUnsetForScalarUnit(instruction, event, id);
  }
}

void requireFlagOfMatmul(const char* instruction, HardEvent event, int32_t id, uint8_t sets) {
  if (id == noEventId) id = fetchEventId(event);
  const uint8_t found = setsOf(event, id);
  if (found == sets) return;
  if (found < sets)
    trap({Check::ErrorSync3, instruction,
          text("a Matmul object waits for HardEvent::%s id %d, which the TPipe has set and the kernel has waited for: "
               "the core hangs",
               nameOf(event), id),
          "set the flag again before a Matmul object works, or take ids from AllocEventID"});
  trap({Check::ErrorSync4, instruction,
        text("a Matmul object sets and waits for HardEvent::%s id %d, which the kernel has set before: it does not "
             "wait for its own",
             nameOf(event), id),
        "wait for the flag before a Matmul object works, or take ids from AllocEventID"});
}

void orderByFlag(const char* instruction, HardEvent event) {
  const int8_t id = firstFreeId(event);
  if (id == noEventId) noIdIsLeft(instruction, event);
  setToken(pipesOf(event).from, tokenOfSet(instruction, event, id), 0);
  waitForToken(pipesOf(event).to, tokenOfWait(instruction, event, id), 0);
}

int32_t fetchEventId(HardEvent event) {
  const int8_t id = firstFreeId(event);
  if (id != noEventId) return id;
  noIdIsLeft("FetchEventID", event);
}

int32_t allocEventId(HardEvent event) {
  int32_t id = fetchEventId(event);
  take(event, id);
  return id;
}

void releaseEventId(HardEvent event, int32_t id) {
  checkId("ReleaseEventID", event, id);
  giveBack(event, id);
}

// Where no vector core runs beside it, nobody else can be meant.
static void requireMemory(const char* instruction, Memory memory) {
  if (memory != Memory::UB || !core->isCube || device.isMixed()) return;
  trap({Check::ErrorBuffer3, instruction, "the tensor is in UB, which a cube core does not have",
        "declare KERNEL_TYPE_AIV_ONLY, or take a buffer at TPosition::A1"});
}

void scalarRead(Operand src, uint32_t bytes) {
  requireElement("GetValue", bytes);
  const Memory memory = memoryOf(src.position);
  requireMemory("GetValue", memory);
  orderScalarAfter(memory);
  issue({"GetValue", Pipe::S, localReadCycles}, {{src, bytes, reads, "the tensor", 1, memory}});
}

void scalarWrite(Operand dst, uint64_t bits, uint32_t bytes) {
  requireElement("SetValue", bytes);
  const Memory memory = memoryOf(dst.position);
  requireMemory("SetValue", memory);
  orderScalarAfter(memory);
  issue({"SetValue", Pipe::S, localWriteCycles}, {{dst, bytes, writes, "the tensor", 1, memory}},
        [&] { std::memcpy(dst.address, &bits, bytes); });
  core->scalarStored = true;
}

void scalarReference(Operand element, uint32_t bytes) {
  inspect("operator()", {{element, bytes, reads, "the tensor", 1, memoryOf(element.position)}});
}

// Whether the line goes into the data cache with what is there: nothing changes inputs.
static bool keepsContent(const uint8_t* address) {
  const GmRegion* region = regionAt(address);
  if (device.isDryRun || region == nullptr || region->access == Access::In) return false;
  const uint8_t* line = lineOf(address);
  return isWithin(line, cacheLineBytes, region->base, paddedBytes(*region));
}

// Cores that race with each other are told of it, and not of what their caches hold.
static bool isRaceReported() {
  return std::any_of(device.reports.begin(), device.reports.end(),
                     [](const Report& other) { return other.code == nameOf(Check::GmRace); });
}

// A line is written back whole: what has been stored past the cache beside the words of the core is lost.
static void requireNothingLost(const char* instruction, const std::vector<const uint8_t*>& lost) {
  for (const uint8_t* byte : lost) {
    const bool isOwn = core->dataCache.isBehindMemory(byte, 1);
    if (!isOwn && (!device.gm.isStoredByAnother(byte, byte + 1, *core, GlobalShadow::Order::Any) || isRaceReported()))
      continue;
    const GmRegion* region = regionAt(byte);
    return report(
        {Check::ErrorSync1, instruction,
         text("writes a line of the data cache back over byte %td of %s, where %s has stored since the line came",
              byte - region->base, region->name.c_str(), isOwn ? "the core itself" : "another core"),
         "keep what different cores store at least 64 bytes apart, or call DataCacheCleanAndInvalid for the line "
         "before SetValue"});
  }
}

bool holdLine(const char* instruction, const uint8_t* address) {
  if (const uint8_t* other = core->dataCache.lineInPlaceOf(address))
    requireNothingLost(instruction, core->dataCache.lostTo(other));
  return core->dataCache.hold(address, keepsContent(address));
}

// Whether another core has changed there what the cache holds, and this one must find it. Who is in no order with it may see
// either value: as if the line had been fetched now.
static bool isOverwrittenByAnother(const uint8_t* address, uint32_t bytes) {
  if (!core->dataCache.differsFromMemory(address, bytes)) return false;
  if (device.gm.isStoredByAnother(address, address + bytes, *core, GlobalShadow::Order::Known) && !isRaceReported())
    return true;
  core->dataCache.refresh(address, bytes);
  return false;
}

// What has been stored past the cache since it holds the line is not what is read.
static void requireCurrent(const char* instruction, const uint8_t* address, uint32_t bytes) {
  const GmRegion* region = regionAt(address);
  // an address that is none is reported when the word is read
  if (region == nullptr) return;
  const bool isOwn = core->dataCache.isBehindMemory(address, bytes);
  if (!isOwn && !isOverwrittenByAnother(address, bytes)) return;
  report({Check::ErrorSync2, instruction,
          text("reads what the data cache of the scalar unit holds of %s, and %s has stored there since",
               region->name.c_str(), isOwn ? "the core itself" : "another core"),
          "call DataCacheCleanAndInvalid for the line before it is read again"});
}

void scalarReadGm(GmAddress src, uint32_t bytes) {
  const char* name = "GetValue";
  requireElement(name, bytes);
  requireCurrent(name, src, bytes);
  const double now = core->ticker.scalarWork() + std::max<int64_t>(core->uncoveredCode, 0);
  const uint32_t cycles =
      holdLine(name, src) ? std::max(cachedCycles, core->dataCache.cyclesUntilThere(src, now)) : missCycles;
  requireWritten(name, src, bytes);
  const AtomicKind flag = acquireFromLine(src, bytes) ? lookKind : AtomicKind(0);
  issue({name, Pipe::S, cycles}, GmExtent{src, bytes, reads, 1, 0, nullptr, 0, flag});
}

void scalarWriteGm(GmAddress dst, uint64_t bits, uint32_t bytes) {
  requireElement("SetValue", bytes);
  letOthersStore(dst);
  const GmExtent word{dst, bytes, writes, 1, 0, reinterpret_cast<const uint8_t*>(&bits)};
  // the line that goes for it is written back
  const uint32_t cycles = cachedCycles + (holdLine("SetValue", dst) ? 0 : cleanLineCycles);
  bool isChange = false;
  issue({"SetValue", Pipe::S, cycles}, word, [&] {
    if (core->lateStores != nullptr) core->dataCache.keepBefore(dst, bytes);
    isChange = std::memcmp(dst, &bits, bytes) != 0;
    std::memcpy(dst, &bits, bytes);
  });
  const bool hadStored = core->dataCache.hasStored();
  core->dataCache.store(dst, bytes, isChange);
  // what is there already is right in memory as well
  if (!isChange) return;
  core->hazards.checkRestOfLine(dst, dst + bytes);
  std::vector<Core*>& all = device.coresWithStores;
  if (!hadStored && std::find(all.begin(), all.end(), core) == all.end()) all.push_back(core);
}

void cleanDataCache(const char* instruction, const uint8_t* line) {
  requireNothingLost(instruction, core->dataCache.lostTo(line));
  if (line == nullptr) core->dataCache.clean();
  else core->dataCache.clean(line);
  if (core->dataCache.hasStored()) return;
  std::vector<Core*>& all = device.coresWithStores;
  all.erase(std::remove(all.begin(), all.end(), core), all.end());
}

uint8_t* startOfMemory(TPosition position) { return core->memory[static_cast<size_t>(memoryOf(position))]; }

int64_t blockIndex() { return core->block; }
int64_t groupIndex() { return core->group; }
int64_t blockCount() { return device.groups; }
int64_t subBlockIndex() { return core->sub; }
int64_t subBlockCount() { return core->isCube ? 1 : device.vectorCoresPerGroup; }
uint64_t tilingKey() { return device.request->tilingKey; }

void unknownTilingKey() {
  trap({Check::ParameterRange, "launch",
        text("the kernel has no instance for tiling key %llu", static_cast<unsigned long long>(tilingKey())),
        "select the combination with ASCENDC_TPL_ARGS_SEL, or set another tiling key"});
}

// The counter runs at 50 MHz: one tick is 20 ns. A kernel that does nothing but look at it sees it go on: by its own code, and by
// what each look takes, also where the launch covers that code.
int64_t systemCycle() {
  needComputed();
  constexpr uint32_t lookCycles = 4;  // estimated
  scalarCycles(lookCycles);
  constexpr double tickNs = 20;
  return device.ticksAtLaunch +
         static_cast<int64_t>(core->ticker.cycles() / findSoc(device.request->soc)->clockGHz / tickNs);
}

// Where the kernel goes on after the call. Where its code lies is drawn.
int64_t programCounter() {
  scalarCycles(1);
  const auto next = reinterpret_cast<uintptr_t>(callPath(core->fiber).front());
  return isIssuing() ? device.codeOnDevice + offsetInKernel(next) : 0;
}

// What is printed comes from the device; the kernel's own process is silent.
void printText(ShownText shown) {
  if (!isIssuing()) fputs(shown.text, stdout);
}

namespace {

void printElement(const uint8_t* at, char element, uint32_t bytes) {
  auto load = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (element) {
    case 'f': fprintf(stdout, "%f", static_cast<double>(bytes == 8 ? load(double()) : load(float()))); return;
    case 'h': fprintf(stdout, "%f", static_cast<double>(load(half()))); return;
    case 'b': fprintf(stdout, "%f", static_cast<double>(static_cast<float>(load(bfloat16_t())))); return;
    case 'i':
      fprintf(stdout, "%lld",
              static_cast<long long>(bytes == 1   ? load(int8_t())
                                     : bytes == 2 ? load(int16_t())
                                     : bytes == 4 ? load(int32_t())
                                                  : load(int64_t())));
      return;
    default:
      fprintf(stdout, "%llu",
              static_cast<unsigned long long>(bytes == 1   ? load(uint8_t())
                                              : bytes == 2 ? load(uint16_t())
                                              : bytes == 4 ? load(uint32_t())
                                                           : load(uint64_t())));
  }
}

void dump(const uint8_t* at, const char* place, uint32_t id, uint32_t elements, uint32_t bytes, char element) {
  if (isIssuing()) return;
  fprintf(stdout, "DumpTensor %s desc %u %s, %u elements: [", core->label().c_str(), id, place, elements);
  for (uint32_t i = 0; i < elements; ++i) {
    if (i != 0) fputs(", ", stdout);
    printElement(at + size_t(i) * bytes, element, bytes);
  }
  fputs("]\n", stdout);
}

}  // namespace

// What is printed of an element has to lie within it; nobody reads more than the log holds.
static void checkDump(uint32_t elements, uint32_t elementBytes, char element) {
  const bool isFit = element == 'f' ? elementBytes == 4 || elementBytes == 8
                     : element == 'h' || element == 'b'
                         ? elementBytes == 2
                         : elementBytes == 1 || elementBytes == 2 || elementBytes == 4 || elementBytes == 8;
  if (!isFit || uint64_t(elements) * elementBytes > UINT32_MAX)
    trap({Check::ParameterRange, "DumpTensor", text("%u elements of %u bytes", elements, elementBytes), ""});
}

void dumpLocal(Operand tensor, uint32_t id, uint32_t elements, uint32_t elementBytes, char element) {
  checkDump(elements, elementBytes, element);
  Memory memory = memoryOf(tensor.position);
  inspect("DumpTensor", {{tensor, elements * elementBytes, reads, "the tensor", 1, memory}});
  dump(tensor.address, nameOf(memory), id, elements, elementBytes, element);
  scalarCycles(elements);
}
void dumpGm(GmAddress tensor, uint32_t id, uint32_t elements, uint32_t elementBytes, char element) {
  checkDump(elements, elementBytes, element);
  inspect("DumpTensor", GmExtent{tensor, uint64_t(elements) * elementBytes, reads});
  dump(tensor, "GM", id, elements, elementBytes, element);
  scalarCycles(elements);
}

// The workspace is handed to the kernel as a whole: its system part is skipped nowhere, as tilings add user bytes on
// top.
uint8_t* userWorkspace(uint8_t* workspace) { return workspace; }
void setSystemWorkspace(uint8_t* workspace) { core->systemWorkspace = workspace; }
uint8_t* systemWorkspace() {
  if (core->systemWorkspace != nullptr) return core->systemWorkspace;
  // the launch hands its workspace over before the kernel begins
  for (const GmRegion& region : device.regions)
    if (region.use == GmRegion::Workspace) return region.base;
  return nullptr;
}

void deviceTrap(const char* what) { trap({Check::Assert, "ASSERT", what, "the kernel itself rejects its input here"}); }

void assertionFailedWith(const char* condition, const char* message) {
  trap({Check::Assert, "ASSERT", text("assertion failed: %s%s%s", condition, *message != '\0' ? ": " : "", message),
        "the kernel itself rejects its input here"});
}

void reportMisuse(Check check, const char* instruction, const char* message, const char* hint) {
  // nothing that comes after it tells more
  if (check == Check::Unsupported) trap({check, instruction, message, hint});
  report({check, instruction, message, hint});
}

}  // namespace npu_emu
