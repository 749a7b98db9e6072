#include "launch.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <utility>

#include "clock.h"
#include "coverage.h"
#include "deadlock.h"
#include "device.h"
#include "scheduler.h"
#include "timing.h"
#include "valid_propagation.h"
#include "written_bytes.h"

namespace npu_emu {

Device device;
Core* core = nullptr;

namespace {

// A group is what one block of the launch starts.
struct Shape {
  bool cube;
  uint32_t vectors;
  uint32_t coresPerGroup() const { return (cube ? 1 : 0) + vectors; }
};

Shape shapeOf(const LaunchRequest& request) {
  switch (request.taskType) {
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

// Numbers that a device has, and that nobody can know.
void drawNumbers(uint64_t seed) {
  SplitMix64 drawn{~seed};
  constexpr uint64_t ticksOfADay = uint64_t(24) * 3600 * 50'000'000, pagesOfCode = uint64_t(1) << 32;
  device.ticksAtLaunch = static_cast<int64_t>(ticksOfADay + drawn.next() % (64 * ticksOfADay));
  device.codeOnDevice = static_cast<int64_t>((pagesOfCode + drawn.next() % pagesOfCode) << 12);
}

void prepare(const LaunchRequest& request, const Shape& shape) {
  device = Device();
  device.request = &request;
  device.isDryRun = request.dryRun;
  device.chance = {request.coreOrder.seed};
  drawNumbers(request.coreOrder.seed);
  device.groups = request.blockDim;
  device.vectorCoresPerGroup = shape.vectors;
  device.hasCubeCores = shape.cube;
  device.regions = request.regions;
  std::sort(device.regions.begin(), device.regions.end(),
            [](const GmRegion& a, const GmRegion& b) { return a.base < b.base; });
  for (const WatchedBytes& bytes : request.watched) device.watched.push_back({bytes, {}});
  beginCoverage();
  beginWrittenBytes();
}

// The cube core of a group comes before its vector cores.
void number(Core& self, uint32_t number, const Shape& shape) {
  const uint32_t place = number % shape.coresPerGroup();
  self.number = number;
  self.group = number / shape.coresPerGroup();
  self.isCube = shape.cube && place == 0;
  self.sub = self.isCube || !shape.cube ? 0 : place - 1;
  self.block = self.isCube ? self.group : self.group * shape.vectors + self.sub;
}

// The core that finishes last, the last one of the other kind, and the first of all to finish.
std::vector<size_t> shownCores(const TimedKernel& timed) {
  const std::vector<double>& ends = timed.ends;
  std::vector<size_t> shown{timed.slowest};
  auto add = [&](size_t number) {
    if (std::find(shown.begin(), shown.end(), number) == shown.end()) shown.push_back(number);
  };
  const bool isCube = device.cores[timed.slowest]->isCube;
  size_t other = ends.size();
  for (size_t i = 0; i < ends.size(); ++i)
    if (device.cores[i]->isCube != isCube && (other == ends.size() || ends[i] > ends[other])) other = i;
  if (other != ends.size()) add(other);
  add(static_cast<size_t>(std::min_element(ends.begin(), ends.end()) - ends.begin()));
  return shown;
}

void addHottest(LaunchResult& result, const Core& of, const std::vector<PlaceTime>& places) {
  constexpr size_t limit = 5;
  std::vector<const CallPath*> paths(of.placeNumbers.size());
  for (const auto& [path, number] : of.placeNumbers) paths[number] = &path;
  for (const PlaceTime& place : places) {
    if (result.hottest.size() == limit) return;
    if (place.instruction == nullptr) continue;
    const CallPath& path = *paths[place.place];
    std::vector<const void*> frames(path.begin(), path.end());
    result.hottest.push_back({place.instruction, nameOf(place.pipe), place.busy, place.count, std::move(frames)});
  }
}

void addTimeline(LaunchResult& result, const Played& played, const TimedKernel& timed) {
  std::vector<const TraceOrigins*> origins;
  for (const Core* each : device.cores) origins.push_back(&each->origins);
  auto text = [](const char* name) { return std::string(name == nullptr ? "" : name); };
  for (const CoreTimes& times : timelineOf(played, origins, shownCores(timed))) {
    const Core& of = *device.cores[times.core];
    TimedCore core{of.label(), times.end, {}};
    for (size_t pipe = 0; pipe < pipeCount; ++pipe) {
      if (times.pipes[pipe].empty()) continue;
      TimedPipe& told = core.pipes.emplace_back(TimedPipe{nameOf(static_cast<Pipe>(pipe)), {}});
      for (const PipeInterval& each : times.pipes[pipe])
        told.intervals.push_back(
            {each.begin, each.end, each.busy, each.waited, each.count, text(each.instruction), text(each.waitsFor)});
    }
    result.timeline.push_back(std::move(core));
    if (times.core == timed.slowest) addHottest(result, of, times.places);
  }
  result.shares.warmNs = warmNs(played);
}

uint32_t groupsOf(const SocProfile& soc, const Shape& shape) { return shape.cube ? soc.aicCores : soc.aivCores; }

void beginTraces(const LaunchRequest& request) {
  for (Core* self : device.cores) {
    self->trace.isCube = self->isCube;
    self->trace.hasOrigins = request.timeline;
    if (request.clock) self->trace.recordIn(device.traces);
  }
}

void endTraces() {
  for (Core* self : device.cores) self->trace.end();
}

Played playedOn(const SocProfile& soc, const Shape& shape) {
  Played played{{}, device.regions, soc, groupsOf(soc, shape), shape.cube ? 1u : 0u, shape.vectors};
  for (const Core* each : device.cores) played.traces.push_back(&each->trace);
  return played;
}

// Of the other devices, with as many blocks: the host part may plan others there.
void addElsewhere(LaunchResult& result, const Shape& shape, const SocProfile& own) {
  for (const SocProfile* soc : allSocs())
    if (soc != &own)
      result.elsewhere.push_back(
          {soc->name, timeTraces(playedOn(*soc, shape)).ns + fillNs(device.request->filledBytes, *soc)});
}

uint64_t bytesOf(const Played& played) {
  uint64_t bytes = 0;
  for (const Trace* trace : played.traces) bytes += trace->bytes();
  return bytes;
}

double processorMs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

void addLatency(LaunchResult& result, const Shape& shape, const SocProfile& soc) {
  endTraces();
  const Played played = playedOn(soc, shape);
  const double begun = processorMs();
  const TimedKernel timed = timeTraces(played);
  const double took = processorMs() - begun;
  result.latencyNs = timed.ns + fillNs(device.request->filledBytes, soc);
  result.shares = timed.shares;
  for (size_t i = 0; i < pipeCount; ++i)
    if (timed.busyNs[i] > 0) result.pipes.push_back({nameOf(static_cast<Pipe>(i)), timed.busyNs[i]});
  if (!device.request->timeline || played.traces.empty()) return;
  addTimeline(result, played, timed);
  addElsewhere(result, shape, soc);
  result.clock = {took, bytesOf(played)};
}

// The framework makes the outputs of what the kernel tells of their shapes: of each the number of its dimensions, then
// up to eight sizes.
std::vector<std::vector<uint64_t>> toldShapes() {
  constexpr uint64_t manyDimensions = uint64_t(1) << 31;  // set where the sizes are of 64 bits
  constexpr size_t most = 8;
  std::vector<std::vector<uint64_t>> shapes;
  for (const GmRegion& region : device.regions) {
    if (region.use != GmRegion::OutputShapes) continue;
    std::array<uint64_t, 1 + most> words{};
    for (size_t at = 0; at + sizeof words <= region.bytes; at += sizeof words) {
      std::memcpy(words.data(), region.base + at, sizeof words);
      const uint64_t dimensions = words[0] & ~manyDimensions;
      const bool isShape = dimensions > 0 && dimensions <= most;
      shapes.emplace_back(words.begin() + 1, words.begin() + 1 + (isShape ? dimensions : 0));
      // outputs whose shapes are known beforehand need not be told
      if (!isShape && at == 0)
        report({Check::ParameterRange, "launch",
                text("the kernel tells that an output has %llu dimensions, whose shape follows from what it computes",
                     static_cast<unsigned long long>(dimensions)),
                "write the number of dimensions and their sizes into the argument after the outputs"});
    }
  }
  return shapes;
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

LaunchResult launch(const LaunchRequest& request) {
  const SocProfile* soc = findSoc(request.soc);
  if (soc == nullptr) return fail(Check::UnknownSoc, "unknown SoC " + request.soc, "use one of the listed SoC names");
  const Shape shape = shapeOf(request);
  if ((shape.cube && request.aic.call == nullptr) || (shape.vectors > 0 && request.aiv.call == nullptr)) {
    return fail(Check::Unsupported,
                text("the kernel type asks for %s cores, for which the kernel has no code",
                     shape.cube && request.aic.call == nullptr ? "cube" : "vector"),
                "declare the kernel type where the kernel is defined");
  }
  const uint32_t available = groupsOf(*soc, shape);
  if (request.blockDim == 0)
    return fail(Check::BlockDim, "SetBlockDim was given 0 or never called", "set at least one block");
  constexpr uint32_t blockDimLimit = 65535;
  if (request.blockDim > blockDimLimit)
    return fail(Check::BlockDim, text("block dim %u is out of range", request.blockDim), "");

  prepare(request, shape);
  device.groupsAtOnce = available;
  std::vector<ScheduledCore> cores(request.blockDim * shape.coresPerGroup());
  for (uint32_t i = 0; i < cores.size(); ++i) {
    number(cores[i].core, i, shape);
    device.cores.push_back(&cores[i].core);
  }
  if (request.blockDim > available) {
    report({Check::BlockDimWaves, "launch",
            text("block dim %u exceeds the %u %s cores of %s", request.blockDim, available,
                 shape.cube ? "cube" : "vector", soc->name),
            "limit the block dim to GetCoreNumAiv() or GetCoreNumAic()"});
  }
  beginTraces(request);
  runCores(cores);

  LaunchResult result;
  if (device.trapped) {
    releaseContexts(cores);
  } else if (!request.dryRun) {
    checkFlagsLeft();
    reportInvalidOutputs();
    result.toldShapes = toldShapes();
    if (request.clock) addLatency(result, shape, *soc);
    result.coverage = coverageOfTensors();
    result.writers = lastWrites();
  }
  result.addsFloats = device.addsFloats;
  result.polls = device.polls;
  result.meets = device.meetings.any();
  result.endedDryRun = device.endedDryRun;
  result.trapped = device.trapped;
  result.profile = std::string(soc->name) + " " + timing::version;
  result.reports = std::move(device.reports);
  core = nullptr;
  return result;
}

}  // namespace npu_emu
