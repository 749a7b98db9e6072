#include "launch.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "device.h"
#include "issue.h"

namespace npu_emu {

Device device;
Core* core = nullptr;

size_t paddedBytes(const GmRegion& region) {
  constexpr size_t pad = 512;
  return (region.bytes + pad - 1) / pad * pad;
}

const GmRegion* regionAt(const uint8_t* address) {
  // an index, since the regions of the next launch may lie over those of the last one, shifted by a part of a region
  static size_t last = 0;
  const GmRegion* begin = device.regions.data();
  const GmRegion* end = begin + device.regions.size();
  auto holds = [&](const GmRegion* region) {
    return address >= region->base && address < region->base + paddedBytes(*region);
  };
  if (last < device.regions.size() && holds(begin + last)) return begin + last;
  const GmRegion* next =
      std::upper_bound(begin, end, address, [](const uint8_t* a, const GmRegion& r) { return a < r.base; });
  if (next == begin || !holds(next - 1)) return nullptr;
  last = static_cast<size_t>(next - 1 - begin);
  return next - 1;
}

const char* nameOf(Memory memory) {
  constexpr const char* names[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB"};
  return names[static_cast<size_t>(memory)];
}

const char* nameOf(TPosition position) {
  constexpr const char* names[] = {"GM",  "A1",    "A2",     "B1",      "B2",  "C1",   "C2",        "CO1",
                                   "CO2", "VECIN", "VECOUT", "VECCALC", "SPM", "TSCM", "C2PIPE2GM", "C2PIPE2LOCAL"};
  return names[static_cast<size_t>(position)];
}

Memory memoryOf(TPosition position) {
  switch (position) {
    case TPosition::A1:
    case TPosition::B1:
    case TPosition::C1:
    case TPosition::TSCM:
    case TPosition::SPM: return Memory::L1;
    case TPosition::A2: return Memory::L0A;
    case TPosition::B2: return Memory::L0B;
    case TPosition::C2: return Memory::BT;
    case TPosition::CO1: return Memory::L0C;
    case TPosition::C2PIPE2GM: return Memory::FB;
    default: return Memory::UB;
  }
}

namespace {

struct EventName {
  EventPipes pipes;
  const char* name;
};

// In the order of HardEvent.
constexpr EventName events[] = {
    {{Pipe::MTE2, Pipe::MTE1}, "MTE2_MTE1"},
    {{Pipe::MTE1, Pipe::MTE2}, "MTE1_MTE2"},
    {{Pipe::MTE1, Pipe::M}, "MTE1_M"},
    {{Pipe::M, Pipe::MTE1}, "M_MTE1"},
    {{Pipe::MTE2, Pipe::V}, "MTE2_V"},
    {{Pipe::V, Pipe::MTE2}, "V_MTE2"},
    {{Pipe::MTE3, Pipe::V}, "MTE3_V"},
    {{Pipe::V, Pipe::MTE3}, "V_MTE3"},
    {{Pipe::M, Pipe::V}, "M_V"},
    {{Pipe::V, Pipe::M}, "V_M"},
    {{Pipe::V, Pipe::V}, "V_V"},
    {{Pipe::MTE3, Pipe::MTE1}, "MTE3_MTE1"},
    {{Pipe::MTE1, Pipe::MTE3}, "MTE1_MTE3"},
    {{Pipe::MTE1, Pipe::V}, "MTE1_V"},
    {{Pipe::MTE2, Pipe::M}, "MTE2_M"},
    {{Pipe::M, Pipe::MTE2}, "M_MTE2"},
    {{Pipe::V, Pipe::MTE1}, "V_MTE1"},
    {{Pipe::M, Pipe::FIX}, "M_FIX"},
    {{Pipe::FIX, Pipe::M}, "FIX_M"},
    {{Pipe::MTE3, Pipe::MTE2}, "MTE3_MTE2"},
    {{Pipe::MTE2, Pipe::MTE3}, "MTE2_MTE3"},
    {{Pipe::S, Pipe::V}, "S_V"},
    {{Pipe::V, Pipe::S}, "V_S"},
    {{Pipe::S, Pipe::MTE2}, "S_MTE2"},
    {{Pipe::MTE2, Pipe::S}, "MTE2_S"},
    {{Pipe::S, Pipe::MTE3}, "S_MTE3"},
    {{Pipe::MTE3, Pipe::S}, "MTE3_S"},
    {{Pipe::MTE2, Pipe::FIX}, "MTE2_FIX"},
    {{Pipe::FIX, Pipe::MTE2}, "FIX_MTE2"},
    {{Pipe::FIX, Pipe::S}, "FIX_S"},
    {{Pipe::M, Pipe::S}, "M_S"},
    {{Pipe::FIX, Pipe::MTE3}, "FIX_MTE3"},
    {{Pipe::MTE1, Pipe::FIX}, "MTE1_FIX"},
    {{Pipe::FIX, Pipe::MTE1}, "FIX_MTE1"},
    {{Pipe::FIX, Pipe::FIX}, "FIX_FIX"},
};
static_assert(sizeof events / sizeof *events == eventCount);

// Memories and a stack for one running core. Cores that do not wait for others take turns in one of these.
struct Context {
  std::array<uint8_t*, memoryCount> memory{};
  std::array<uint32_t, memoryCount> capacity{};
  uint8_t* area = nullptr;
  size_t areaBytes = 0;
  Fiber fiber;
  std::unique_ptr<LocalShadow> shadow;

  explicit Context(const SocProfile& soc) {
    capacity = {soc.ubBytes, soc.l1Bytes, soc.l0aBytes, soc.l0bBytes, soc.l0cBytes, 1024, 7168};
    shadow = std::make_unique<LocalShadow>(capacity);
    constexpr size_t gap = 64 * 1024;  // untouched pages between memories catch what slips through raw pointers
    for (uint32_t bytes : capacity) areaBytes += bytes + gap;
    void* mapped = mmap(nullptr, areaBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    area = static_cast<uint8_t*>(mapped);
    uint8_t* next = area;
    for (size_t i = 0; i < memoryCount; ++i) {
      memory[i] = next;
      next += capacity[i] + gap;
    }
    createFiber(fiber);
  }
  ~Context() {
    destroyFiber(fiber);
    if (area != nullptr) munmap(area, areaBytes);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

struct Contexts {
  std::vector<std::unique_ptr<Context>> all;
  std::vector<Context*> idle;
  const SocProfile* soc = nullptr;

  Context* take(const SocProfile& wanted) {
    if (soc != &wanted) {
      all.clear();
      idle.clear();
      soc = &wanted;
    }
    if (idle.empty()) {
      all.push_back(std::make_unique<Context>(wanted));
      idle.push_back(all.back().get());
    }
    Context* context = idle.back();
    idle.pop_back();
    return context;
  }
};
Contexts contexts;

const KernelEntry& entryOf(const Core& self) { return self.isCube ? device.request->aic : device.request->aiv; }

void runCore(void* argument) {
  auto* self = static_cast<Core*>(argument);
  entryOf(*self).call(device.request->args.data());
  self->state = CoreState::Finished;
  leaveFiber(self->fiber);
}

// What a kernel must not leave behind: the next kernel on the core would meet it.
void checkEnd() {
  for (size_t event = 0; event < eventCount; ++event) {
    for (size_t id = 0; id < eventIds; ++id) {
      if (core->flags[event][id] == 0) continue;
      report({Check::ErrorSync3, "SetFlag",
              text("HardEvent::%s id %zu is still set when the kernel ends", events[event].name, id),
              "pair every SetFlag with a WaitFlag", &core->flagsSet[event * eventIds + id]});
    }
  }
  checkQueuesAtEnd("kernel");
  core->flagsSet = {};
}

struct Running {
  Core core;
  Context* context = nullptr;
};

void start(Running& running, const SocProfile& soc) {
  Core& self = running.core;
  running.context = contexts.take(soc);
  self.memory = running.context->memory;
  self.capacity = running.context->capacity;
  self.fiber = running.context->fiber;
  self.buffers.push_back({});
  self.queues.push_back({});
  self.hazards.begin(running.context->shadow.get(), device.request->autoSync && !self.isCube);
  if (!device.request->hazards) self.hazards.switchOff();
  prepareFiber(self.fiber, runCore, &self);
}

void finish(Running& running) {
  running.core.hazards.end();
  running.context->fiber = running.core.fiber;
  contexts.idle.push_back(running.context);
  running.context = nullptr;
}

// Runs a core until it finishes, waits or traps.
void resume(Running& running) {
  core = &running.core;
  const CoreVariables& variables = entryOf(*core).variables;
  const uint8_t* held = core->variables.empty() ? variables.image : core->variables.data();
  if (variables.bytes != 0) std::memcpy(variables.data, held, variables.bytes);
  resumeFiber(running.core.fiber);
  if (core->state == CoreState::Waiting) core->variables.assign(variables.data, variables.data + variables.bytes);
  if (!device.trapped && running.core.state == CoreState::Finished) {
    checkEnd();
    finish(running);
  }
  core = nullptr;
}

// Whether what a waiting core waits for has come.
bool mayGoOn(const std::vector<Running>& cores, const Core& self) {
  const CrossWait& wait = self.crossWait;
  switch (wait.kind) {
    case CrossWait::Barrier: return wait.barrier->came.size() == wait.cores;
    case CrossWait::Flag: return !self.flagsCome[wait.flag].empty();
    case CrossWait::SoftBarrier:
      return std::all_of(cores.begin(), cores.end(), [&](const Running& other) {
        return other.core.isCube || other.core.block >= wait.cores || other.core.softBarriers >= wait.target;
      });
    case CrossWait::Word: return *wait.word == wait.value;
    case CrossWait::Count: return *wait.word >= static_cast<int64_t>(wait.target);
    case CrossWait::Turn: return device.turnsTaken >= wait.target;
    case CrossWait::Message: return wait.come(self);
    case CrossWait::Yield: return true;
  }
  return false;
}

void join(std::string& list, const std::string& item) {
  constexpr size_t enough = 60;
  if (list.size() < enough) list += (list.empty() ? "" : ", ") + item;
  else if (list.back() != '.') list += ", ...";
}

// Who has set the flag that the core waits for, and who would have to.
std::string settersOf(const Core& self) {
  std::string told, others;
  for (const auto& [where, place] : device.flagPlaces) {
    const Meeting* meeting = place.pending();
    bool tells = where.mode == 0 ? where.cube == self.isCube
                                 : self.group == where.group && (where.cube == self.isCube) == (where.mode == 1);
    if (!tells || meeting == nullptr || where.flag != self.crossWait.flag) continue;
    for (uint32_t number : place.expected) {
      bool came = std::find(meeting->came.begin(), meeting->came.end(), number) != meeting->came.end();
      join(came ? told : others, device.cores[number]->label());
    }
  }
  if (told.empty()) return "nobody has set it";
  return told + (told.find(',') == std::string::npos ? " has set it, " : " have set it, ") + others +
         (others.find(',') == std::string::npos ? " has not" : " have not");
}

std::string describe(const Core& self) {
  const CrossWait& wait = self.crossWait;
  if (wait.kind != CrossWait::Flag) return wait.instruction;
  return text("flag %u (%s)", wait.flag, settersOf(self).c_str());
}

// The first core that waits for a single thing, else the first at a barrier.
void reportDeadlock(const std::vector<Running>& cores) {
  const Core *single = nullptr, *first = nullptr;
  size_t atBarrier = 0;
  std::string ended, others;
  for (const Running& running : cores) {
    const Core& self = running.core;
    bool waits = self.state == CoreState::Waiting, barrier = waits && self.crossWait.kind == CrossWait::Barrier;
    if (self.state == CoreState::Finished) join(ended, self.label());
    if (waits && first == nullptr) first = &self;
    if (waits && !barrier && single == nullptr) single = &self;
    atBarrier += barrier ? 1 : 0;
  }
  if (first == nullptr) return;
  const Core& self = single != nullptr ? *single : *first;
  for (const Running& running : cores)
    if (running.core.state == CoreState::Waiting && &running.core != &self)
      join(others, running.core.label() + " at " + describe(running.core));
  core = const_cast<Core*>(&self);
  const CrossWait& wait = self.crossWait;
  const char* hint = "let every core that is waited for reach the matching call";
  std::string more =
      (ended.empty() ? "" : ", ended have " + ended) + (others.empty() ? "" : "; waiting too: " + others);
  if (single == nullptr && !ended.empty()) {
    report({Check::Deadlock, "SyncAll",
            text("%zu cores wait at SyncAll for cores that have ended without it: %s", atBarrier, ended.c_str()),
            "let every core reach every SyncAll, also those without work", &wait.where});
  } else if (wait.kind == CrossWait::Flag) {
    report({Check::Deadlock, wait.instruction,
            text("waits for %s; no core can go on%s", describe(self).c_str(), more.c_str()), hint, &wait.where});
  } else {
    report({Check::Deadlock, wait.instruction,
            text("waits for other cores at %s; no core can go on%s", wait.instruction, more.c_str()), hint,
            &wait.where});
  }
  core = nullptr;
  device.trapped = true;
}

// Cores by their turn. Shuffled orders are the same on every machine.
std::vector<Running*> inOrder(std::vector<Running>& cores, const CoreOrder& order) {
  std::vector<Running*> turns;
  for (Running& running : cores) turns.push_back(&running);
  if (order.kind == CoreOrder::Reverse) std::reverse(turns.begin(), turns.end());
  if (order.kind != CoreOrder::Shuffled) return turns;
  uint64_t state = order.seed;
  for (size_t left = turns.size(); left > 1; --left) {
    state += 0x9e3779b97f4a7c15u;  // splitmix64
    uint64_t bits = (state ^ state >> 30) * 0xbf58476d1ce4e5b9u;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebu;
    std::swap(turns[left - 1], turns[(bits ^ bits >> 31) % left]);
  }
  return turns;
}

void runAll(std::vector<Running>& cores, const SocProfile& soc) {
  const std::vector<Running*> turns = inOrder(cores, device.request->coreOrder);
  for (Running* next : turns) {
    Running& running = *next;
    start(running, soc);
    resume(running);
    if (device.trapped) return;
  }
  for (;;) {
    bool resumed = false, finished = true;
    for (Running* next : turns) {
      Running& running = *next;
      if (running.core.state != CoreState::Waiting) continue;
      finished = false;
      if (!mayGoOn(cores, running.core)) continue;
      running.core.state = CoreState::Ready;
      resume(running);
      if (device.trapped) return;
      resumed = true;
    }
    if (finished) return;
    if (!resumed) return reportDeadlock(cores);
  }
}

// Flags between cores that somebody has set and nobody waited for.
void checkFlagsLeft(const std::vector<Running>& cores) {
  for (const Running& running : cores) {
    core = const_cast<Core*>(&running.core);
    for (size_t flag = 0; flag < crossFlags; ++flag) {
      size_t left = core->flagsCome[flag].size();
      if (left == 0) continue;
      report({Check::ErrorSync3, "CrossCoreSetFlag",
              text("flag %zu is still set %zu times when the kernel ends", flag, left),
              "wait for every flag that is set, also for the last ones"});
    }
  }
  for (const auto& [where, place] : device.flagPlaces) {
    const Meeting* meeting = place.pending();
    if (meeting == nullptr) continue;
    core = device.cores[meeting->came.front()];
    std::string missing;
    for (uint32_t number : place.expected)
      if (std::find(meeting->came.begin(), meeting->came.end(), number) == meeting->came.end())
        join(missing, device.cores[number]->label());
    report({Check::ErrorSync3, "CrossCoreSetFlag",
            text("flag %u in mode %u is set without %s, which would have to set it as well", where.flag, where.mode,
                 missing.c_str()),
            "let all cores that the mode names set the flag"});
  }
  core = nullptr;
}

// A group is what one block of the launch starts.
struct Shape {
  bool cube;
  uint32_t vectors;
  uint32_t coresPerGroup() const { return (cube ? 1 : 0) + vectors; }
};

Shape shapeOf(const LaunchRequest& request) {
  const KernelEntry& known = request.aiv.call != nullptr ? request.aiv : request.aic;
  switch (known.taskType == nullptr ? -1 : known.taskType(request.tilingKey)) {
    case KERNEL_TYPE_AIV_ONLY:
    case KERNEL_TYPE_MIX_AIV_1_0:
    case KERNEL_TYPE_MIX_VECTOR_CORE: return {false, 1};
    case KERNEL_TYPE_AIC_ONLY:
    case KERNEL_TYPE_MIX_AIC_1_0: return {true, 0};
    case KERNEL_TYPE_MIX_AIC_1_1: return {true, 1};
    case KERNEL_TYPE_MIX_AIC_1_2: return {true, 2};
    default:
      return {request.aic.call != nullptr, request.aiv.call == nullptr ? 0u : request.aic.call == nullptr ? 1u : 2u};
  }
}

void prepare(const LaunchRequest& request, const SocProfile& soc) {
  device = Device();
  device.request = &request;
  device.soc = &soc;
  device.regions = request.regions;
  std::sort(device.regions.begin(), device.regions.end(),
            [](const GmRegion& a, const GmRegion& b) { return a.base < b.base; });
}

LaunchResult fail(Check check, std::string message, const char* hint) {
  LaunchResult result;
  result.trapped = true;
  Report report;
  report.code = nameOf(check);
  report.message = std::move(message);
  report.hint = hint;
  report.core = "device";
  report.instruction = "launch";
  result.reports.push_back(std::move(report));
  return result;
}

}  // namespace

EventPipes pipesOf(HardEvent event) { return events[static_cast<size_t>(event)].pipes; }
const char* nameOf(HardEvent event) { return events[static_cast<size_t>(event)].name; }

LaunchResult launch(const LaunchRequest& request) {
  const SocProfile* soc = findSoc(request.soc);
  if (soc == nullptr) return fail(Check::UnknownSoc, "unknown SoC " + request.soc, "use one of the listed SoC names");
  const Shape shape = shapeOf(request);
  if ((shape.cube && request.aic.call == nullptr) || (shape.vectors > 0 && request.aiv.call == nullptr)) {
    return fail(Check::Unsupported,
                text("the kernel has no part for %s cores, which its type asks for",
                     shape.cube && request.aic.call == nullptr ? "cube" : "vector"),
                "declare the kernel type where the kernel is defined");
  }
  uint32_t available = shape.cube ? soc->aicCores : soc->aivCores;
  if (request.blockDim == 0)
    return fail(Check::BlockDim, "SetBlockDim was given 0 or never called", "set at least one block");
  constexpr uint32_t blockDimLimit = 65535;
  if (request.blockDim > blockDimLimit)
    return fail(Check::BlockDim, text("block dim %u is out of range", request.blockDim), "");

  prepare(request, *soc);
  std::vector<Running> cores(request.blockDim * shape.coresPerGroup());
  device.groups = request.blockDim;
  device.vectorCoresPerGroup = shape.vectors;
  device.hasCubeCores = shape.cube;
  for (uint32_t i = 0; i < cores.size(); ++i) {
    Core& self = cores[i].core;
    const uint32_t place = i % shape.coresPerGroup();
    self.number = i;
    self.group = i / shape.coresPerGroup();
    self.isCube = shape.cube && place == 0;
    self.sub = self.isCube || !shape.cube ? 0 : place - 1;
    self.block = self.isCube ? self.group : self.group * shape.vectors + self.sub;
    device.cores.push_back(&self);
  }
  if (request.blockDim > available) {
    report({Check::BlockDimWaves, "launch",
            text("block dim %u exceeds the %u %s cores of %s", request.blockDim, available,
                 shape.cube ? "cube" : "vector", soc->name),
            "limit the block dim to GetCoreNumAiv() or GetCoreNumAic()"});
  }
  runAll(cores, *soc);

  LaunchResult result;
  if (device.trapped) {
    // Contexts of cores that never finished hold abandoned stacks; they are simply used again.
    for (Running& running : cores)
      if (running.context != nullptr) finish(running);
  } else {
    checkFlagsLeft(cores);
    reportGarbage();
    std::vector<const Trace*> traces;
    for (const Running& running : cores) traces.push_back(&running.core.trace);
    TimedKernel timed = timeTraces(traces, cores.size(), *soc);
    result.latencyNs = timed.ns;
    for (size_t i = 0; i < pipeCount; ++i)
      if (timed.busyNs[i] > 0) result.pipes.push_back({nameOf(static_cast<Pipe>(i)), timed.busyNs[i]});
  }
  result.addsFloats = device.addsFloats;
  result.trapped = device.trapped;
  result.profile = std::string(soc->name) + " " + soc->version;
  result.reports = std::move(device.reports);
  core = nullptr;
  return result;
}

}  // namespace npu_emu
