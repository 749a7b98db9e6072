#include <cmath>
#include <cstring>
#include <ctime>

#include <algorithm>
#include <memory>

#include <sys/stat.h>

#include "case_memory.h"
#include "encoding.h"
#include "entry_point.h"
#include "fault.h"
#include "instruction_stream.h"
#include "mutate_stream.h"
#include "profile.h"
#include "reached_blocks.h"
#include "replay.h"
#include "serve.h"

namespace npu_runner {

namespace {

std::string listOf(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void checkArity(const npu_emu::KernelEntry& entry, const std::vector<std::string>& names) {
  if (entry.call == nullptr || entry.arity == names.size()) return;
  throw Rejected{"the kernel takes " + std::to_string(entry.arity) + " addresses, the task passes " +
                 std::to_string(names.size()) + ": " + listOf(names)};
}

std::vector<std::string> argumentNames(const std::vector<Argument>& arguments, bool tellsShapes) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) {
    if (argument.slots.empty()) names.emplace_back("(absent)");
    else names.push_back(argument.kind == Argument::List ? argument.slots[0].name + "[]" : argument.slots[0].name);
  }
  if (tellsShapes) names.emplace_back("shapes of outputs");
  names.emplace_back("workspace");
  names.emplace_back("tiling");
  return names;
}

JsonArray framesJson(const std::vector<const void*>& addresses, const npu_emu::KernelFacts& facts) {
  JsonArray frames;
  for (const void* frame : addresses) {
    const auto address = reinterpret_cast<uint64_t>(frame);
    for (const auto& [name, library] : {std::pair{"aiv", facts.aiv}, std::pair{"aic", facts.aic}}) {
      if (address < library.begin || address >= library.end) continue;
      frames.push_back(JsonObject{{"lib", name}, {"offset", address - library.base}});
      break;
    }
  }
  return frames;
}

Json reportJson(const npu_emu::Report& report, const npu_emu::KernelFacts& facts) {
  return JsonObject{{"code", report.code},
                    {"severity", report.isError ? "error" : "warning"},
                    {"message", report.message},
                    {"hint", report.hint},
                    {"core", report.core},
                    {"instruction", report.instruction},
                    {"frames", framesJson(report.frames, facts)},
                    {"otherInstruction", report.otherInstruction},
                    {"otherFrames", framesJson(report.otherFrames, facts)},
                    {"count", std::max(report.count, 1u)}};
}

// `"reverse"`, or the decimal seed of a shuffled order.
npu_emu::CoreOrder coreOrderOf(const Json& json) {
  const std::string& text = json.string("coreOrder");
  if (text == "reverse") return {npu_emu::CoreOrder::Reverse, 0};
  if (text.empty() || text.size() > 19 || text.find_first_not_of("0123456789") != std::string::npos)
    throw JsonError{"coreOrder: " + text};
  return {npu_emu::CoreOrder::Shuffled, std::stoull(text)};
}

// Outputs that the framework initialises hold that value in place of poison; those in place hold the input.
// Returns their bytes.
uint64_t readInitial(const Json& request, std::vector<Argument>& arguments) {
  uint64_t bytes = 0;
  const Json* const initial = request.find("initial");
  if (initial == nullptr) return bytes;
  size_t next = request.at("inputs").unsignedInteger("inputs");
  for (const Json& value : initial->array("initial")) {
    if (next >= arguments.size()) break;
    for (Slot& slot : arguments[next].slots) {
      if (value.isNull()) continue;
      slot.initial = eightBytes(value.string("initial"));
      if (slot.access == npu_emu::Access::Out) bytes += slot.bytes;
    }
    ++next;
  }
  return bytes;
}

// Times in picoseconds, from the start of the cores: begin, end, busy, waited; then how many, and two names by number.
Json timelineJson(const std::vector<npu_emu::TimedCore>& cores) {
  std::vector<std::string> names{""};
  auto numberOf = [&](const std::string& name) {
    const auto number = static_cast<uint64_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (number == names.size()) names.push_back(name);
    return number;
  };
  auto ps = [](double ns) { return static_cast<uint64_t>(std::llround(ns * 1000)); };
  JsonArray all;
  for (const npu_emu::TimedCore& core : cores) {
    JsonArray pipes;
    for (const npu_emu::TimedPipe& pipe : core.pipes) {
      JsonArray intervals;
      for (const npu_emu::TimedInterval& each : pipe.intervals)
        intervals.push_back(JsonArray{ps(each.begin), ps(each.end), ps(each.busy), ps(each.waited), each.count,
                                      numberOf(each.instruction), numberOf(each.waitsFor)});
      pipes.push_back(JsonObject{{"pipe", pipe.pipe}, {"intervals", std::move(intervals)}});
    }
    all.push_back(JsonObject{{"core", core.core}, {"end", ps(core.end)}, {"pipes", std::move(pipes)}});
  }
  JsonArray texts;
  for (const std::string& name : names) texts.push_back(name);
  return JsonObject{{"names", std::move(texts)}, {"cores", std::move(all)}};
}

// A few elements of outputs.
std::vector<Launch::Bytes> readWatched(const Json* json, uint64_t fileBytes) {
  constexpr size_t limit = 16;
  std::vector<Launch::Bytes> watched;
  if (json == nullptr) return watched;
  for (const Json& item : json->array("watched")) {
    const Launch::Bytes bytes{item.at("offset").unsignedInteger("offset"), item.at("bytes").unsignedInteger("bytes")};
    if (watched.size() == limit || bytes.bytes > fileBytes || bytes.offset > fileBytes - bytes.bytes)
      throw JsonError{"watched: too many, or past the end of the file"};
    watched.push_back(bytes);
  }
  return watched;
}

// Of this thread, which does all the emulating: what else the machine does is left out.
double processorMs() {
  timespec used{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
}

}  // namespace

Launch readLaunch(const Json& request) {
  Launch launch;
  launch.request.soc = request.at("soc").string("soc");
  if (npu_emu::findSoc(launch.request.soc) == nullptr) throw JsonError{"unknown SoC " + launch.request.soc};
  launch.request.blockDim = static_cast<uint32_t>(request.at("blockDim").unsignedInteger("blockDim"));
  launch.request.tilingKey = request.at("tilingKey").unsignedInteger("tilingKey");
  launch.request.autoSync = request.at("autoSync").boolean("autoSync");
  const Json* exact = request.find("exactApproximations");
  launch.request.exactApproximations = exact != nullptr && exact->boolean("exactApproximations");
  if (const Json* order = request.find("coreOrder")) launch.request.coreOrder = coreOrderOf(*order);
  if (const Json* late = request.find("lateCopies")) launch.request.lateCopies = late->boolean("lateCopies");
  if (const Json* hazards = request.find("hazards")) launch.request.hazards = hazards->boolean("hazards");
  if (const Json* told = request.find("device"))
    launch.request.ubBytes = static_cast<uint32_t>(told->at("ubBytes").unsignedInteger("ubBytes"));
  launch.fileBytes = request.at("fileBytes").unsignedInteger("fileBytes");
  launch.arguments = readArguments(request.at("args"), launch.fileBytes);
  launch.request.filledBytes = readInitial(request, launch.arguments);
  const Json* shaped = request.find("shapedOutputs");
  launch.shapedOutputs = shaped == nullptr ? 0 : shaped->unsignedInteger("shapedOutputs");
  launch.workspaceBytes = request.at("workspaceBytes").unsignedInteger("workspaceBytes");
  launch.tiling = fromBase64(request.at("tiling").string("tiling"));
  launch.poison = eightBytes(request.at("poison").string("poison"));
  if (launch.request.coreOrder.kind != npu_emu::CoreOrder::Shuffled) {
    // contexts are drawn in each order
    std::memcpy(&launch.request.coreOrder.seed, launch.poison.data(), launch.poison.size());
    launch.request.coreOrder.seed += launch.request.coreOrder.kind;
  }
  if (const Json* clock = request.find("clock")) launch.request.clock = clock->boolean("clock");
  launch.watched = readWatched(request.find("watched"), launch.fileBytes);
  const Json* timeline = request.find("timeline");
  launch.tellsTimeline = timeline != nullptr && timeline->boolean("timeline");
  return launch;
}

namespace {

// Of the kernel that this process holds: what it issues depends on what it computes.
bool hasToCompute = false;

CaseMemory memoryOf(const Launch& read, CaseFile file) {
  // which one a launch has follows from the case: nobody can go by it to be right in this one alone
  const bool isForward = read.request.coreOrder.kind == npu_emu::CoreOrder::Forward;
  file.isNegative = ((read.poison.front() & 1) != 0) == isForward;
  file.seed = read.request.coreOrder.seed;
  return CaseMemory(file, read.arguments, read.shapedOutputs, read.workspaceBytes, read.tiling, read.poison);
}

// The stream of a kernel is the same file in all of its launches.
const npu_emu::StreamMemory& mappedStream(int file) {
  static std::unique_ptr<npu_emu::StreamMemory> mapped;
  static ino_t inode = 0;  // of a file that is mapped, and therefore of no other
  struct stat status {};
  if (fstat(file, &status) != 0) throw JsonError{"the instruction stream was not passed"};
  if (mapped && inode == status.st_ino) return *mapped;
  mapped = std::make_unique<npu_emu::StreamMemory>(file);
  inode = status.st_ino;
  return *mapped;
}

npu_emu::KernelFacts::Library placeOf(const Library* library) {
  if (library == nullptr) return {};
  const auto [begin, end] = library->range();
  return {library->base(), begin, end};
}

// Of one library, as offsets in it.
Json reachedIn(const Library* library) {
  std::vector<uint64_t> offsets;
  for (const void* block : npu_emu::reachedBlocks.blocks)
    if (library != nullptr && library->contains(block))
      offsets.push_back(reinterpret_cast<uint64_t>(block) - library->base());
  std::sort(offsets.begin(), offsets.end());
  return toBase64(stepsOf(offsets));
}

}  // namespace

Json runKernel(const Json& json, Library* aiv, Library* aic, std::vector<Descriptor> files) {
  if (files.size() != 2) throw JsonError{"the case file was not passed"};
  Launch read = readLaunch(json);
  npu_emu::LaunchRequest& launch = read.request;
  // what it finds out about races is nobody's concern; late copies are kept back by the same bookkeeping
  launch.hazards = launch.hazards && launch.lateCopies;
  launch.clock = false;
  launch.dryRun = !hasToCompute && !overwritesInputs(read.arguments);
  if (launch.dryRun) launch.hazards = false;
  if (aiv) launch.aiv = entryOf(*aiv);
  if (aic) launch.aic = entryOf(*aic);
  const std::vector<std::string> names = argumentNames(read.arguments, read.shapedOutputs != 0);
  checkArity(launch.aiv, names);
  checkArity(launch.aic, names);
  launch.taskType = taskTypeOf(aiv != nullptr ? *aiv : *aic, launch.tilingKey);

  const CaseMemory memory = memoryOf(read, {files[0].get(), -1, read.fileBytes, !launch.dryRun});
  const npu_emu::StreamMemory& stream = mappedStream(files[1].get());
  files.clear();
  watchLaunch(&memory.regions(), aiv, aic);
  launch.args = memory.addresses();
  launch.regions = memory.regions();
  std::vector<npu_emu::GmRegion> constants;
  for (Library* library : {aiv, aic}) {
    if (library == nullptr) continue;
    library->restore();
    library->addConstants(constants);
  }
  npu_emu::KernelFacts facts{npu_emu::streamVersion, launch.taskType, placeOf(aiv), placeOf(aic)};
  npu_emu::forgetConstantPlaces();
  uintptr_t place = npu_emu::constantsBegin;
  for (const npu_emu::GmRegion& region : constants) facts.constants += npu_emu::placeConstants(region, place);
  launch.regions.insert(launch.regions.end(), constants.begin(), constants.end());
  npu_emu::setKernelCode(facts);
  npu_emu::beginReachedBlocks();
  npu_emu::beginStream(stream);
  mutateStream(json.find("mutation"));
  npu_emu::writeFacts(facts);
  npu_emu::writeConstants();
  const bool endedDryRun = npu_emu::launch(launch).endedDryRun;
  hasToCompute |= endedDryRun;
  npu_emu::endStream();
  watchLaunch(nullptr, nullptr, nullptr);
  return JsonObject{{"again", endedDryRun}, {"aiv", reachedIn(aiv)}, {"aic", reachedIn(aic)}};
}

// What a kernel tells may be any number: those that JSON does not hold are no sizes anyway.
static Json shapesJson(const std::vector<std::vector<uint64_t>>& shapes) {
  constexpr uint64_t largest = (uint64_t(1) << 53) - 1;
  JsonArray answer;
  for (const std::vector<uint64_t>& shape : shapes) {
    JsonArray sizes;
    for (const uint64_t size : shape) sizes.push_back(std::min(size, largest));
    answer.push_back(shape.empty() ? Json(nullptr) : Json(std::move(sizes)));
  }
  return answer;
}

Json launchOnDevice(const Json& json, std::vector<Descriptor> files) {
  if (files.size() != 3) throw JsonError{"the case file was not passed"};
  Launch read = readLaunch(json);
  npu_emu::LaunchRequest& launch = read.request;
  const Json& kernel = json.at("kernel");
  const CaseMemory memory = memoryOf(read, {files[0].get(), files[1].get(), read.fileBytes});
  const npu_emu::StreamMemory& shared = mappedStream(files[2].get());
  files.clear();
  watchLaunch(&memory.regions(), nullptr, nullptr);
  launch.args = memory.addresses();
  launch.regions = memory.regions();
  launch.timeline = read.tellsTimeline;
  for (const Launch::Bytes& bytes : read.watched) launch.watched.push_back({memory.at(bytes.offset), bytes.bytes});

  npu_emu::StreamReader stream(shared);
  const char* problem = "";
  const std::optional<npu_emu::KernelFacts> facts = npu_emu::readFacts(stream, launch.regions, problem);
  if (!facts) {
    shared.stop();
    throw Rejected{std::string("the kernel's process does not issue proper instructions: ") + problem};
  }
  launch.taskType = facts->taskType;
  const double started = processorMs();
  const npu_emu::LaunchResult result =
      npu_emu::replay(stream, launch, !kernel.at("aiv").isNull(), !kernel.at("aic").isNull());
  const double took = processorMs() - started;
  shared.stop();
  watchLaunch(nullptr, nullptr, nullptr);

  JsonObject pipes;
  for (const npu_emu::PipeTime& pipe : result.pipes) pipes.emplace_back(pipe.pipe, pipe.ns);
  const npu_emu::LaunchShares& shares = result.shares;
  JsonObject told{{"launchNs", shares.launchNs},
                  {"coreNs", shares.coreNs},
                  {"waitedNs", shares.waitedNs},
                  {"hbmSaturatedNs", shares.hbmSaturatedNs},
                  {"l2SaturatedNs", shares.l2SaturatedNs},
                  {"hbmBytes", shares.hbmBytes},
                  {"l2Bytes", shares.l2Bytes},
                  {"warmNs", shares.warmNs}};
  if (shares.unrecordedNs > 0) told.emplace_back("unrecordedNs", shares.unrecordedNs);
  JsonArray coverage;
  for (const npu_emu::TensorCoverage& tensor : result.coverage)
    if (const std::string* name = memory.tensorAt(tensor.base))
      coverage.push_back(
          JsonObject{{"slot", *name}, {"bytes", tensor.bytes}, {"read", tensor.read}, {"written", tensor.written}});
  JsonArray reports;
  for (const npu_emu::Report& report : result.reports) reports.push_back(reportJson(report, *facts));
  JsonArray writers;
  for (const npu_emu::LastWrite& write : result.writers)
    writers.push_back(JsonObject{{"writes", write.writes},
                                 {"atomic", write.isAtomic},
                                 {"core", write.core},
                                 {"instruction", write.instruction},
                                 {"frames", framesJson(write.frames, *facts)}});
  JsonObject answer{{"latencyNs", result.latencyNs},   {"hostMs", took},
                    {"profile", result.profile},       {"pipes", std::move(pipes)},
                    {"shares", std::move(told)},       {"reports", std::move(reports)},
                    {"addsFloats", result.addsFloats}, {"polls", result.polls},
                    {"meets", result.meets},           {"trapped", result.trapped},
                    {"coverage", std::move(coverage)}};
  if (!read.watched.empty()) answer.emplace_back("writers", std::move(writers));
  if (!result.toldShapes.empty()) answer.emplace_back("toldShapes", shapesJson(result.toldShapes));
  if (read.tellsTimeline) {
    answer.emplace_back("timeline", timelineJson(result.timeline));
    JsonArray hottest;
    for (const npu_emu::HotPlace& place : result.hottest)
      hottest.push_back(JsonObject{{"instruction", place.instruction},
                                   {"pipe", place.pipe},
                                   {"ns", place.ns},
                                   {"count", place.count},
                                   {"frames", framesJson(place.frames, *facts)}});
    answer.emplace_back("hottest", std::move(hottest));
    JsonArray elsewhere;
    for (const npu_emu::TimeElsewhere& each : result.elsewhere)
      elsewhere.push_back(JsonObject{{"soc", each.soc}, {"latencyNs", each.latencyNs}});
    answer.emplace_back("elsewhere", std::move(elsewhere));
    answer.emplace_back("clock", JsonObject{{"ms", result.clock.ms}, {"bytes", result.clock.bytes}});
  }
  return answer;
}

}  // namespace npu_runner
