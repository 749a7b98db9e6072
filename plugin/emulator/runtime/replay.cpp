#include "replay.h"

#include <sys/mman.h>

#include <algorithm>
#include <deque>
#include <map>

#include "api_calls.h"
#include "device.h"
#include "device_memory.h"
#include "matmul_wire.h"
#include "report.h"

namespace npu_emu {

namespace {

StreamReader* stream = nullptr;

[[noreturn]] void refuse(const char* why) {
  trap({Check::InvalidStream, "launch", text("the kernel's process does not issue proper instructions: %s", why),
        "leave the runtime of the device alone: a kernel is believed in its instructions only"});
}

// What came with a record and is referred to until the launch ends. Of each there are few: texts of reports, types of
// Matmul objects.
struct Kept {
  std::deque<std::string> texts;
  std::deque<matmul::Traits> traits;
};
Kept kept;
constexpr size_t keptLimit = 4096;

void forgetKept() { kept = {}; }

// ---- memory of the kernel that instructions read -------------------------------------------------------------------

struct Mapping {
  void* address;
  size_t bytes;
};
std::vector<Mapping> constants;

constexpr uint64_t pageSize = 4096;
constexpr uint64_t addressEnd = uint64_t(1) << 48;
constexpr uint64_t wholePages(uint64_t bytes) { return (bytes + pageSize - 1) / pageSize * pageSize; }

// A part of a constant region: where the region lies, which bytes of it follow, and they themselves.
struct ConstantsHeader {
  uint64_t begin, bytes, offset;
  uint32_t count;
};

}  // namespace

NPU_EMU_MEMBERS(ConstantsHeader, begin, bytes, offset, count)
NPU_EMU_MEMBERS(KernelFacts::Library, base, begin, end)
NPU_EMU_MEMBERS(KernelFacts, version, taskType, aiv, aic, constants)

namespace {

// Adds a part of a region; false where it fits nowhere.
bool addConstants(WireReader& record, std::vector<GmRegion>& regions) {
  const auto header = record.plain<ConstantsHeader>();
  const bool fits = header.begin >= constantsBegin && header.begin < constantsEnd && header.begin % pageSize == 0 &&
                    header.bytes <= constantsEnd - header.begin && header.count <= header.bytes &&
                    header.offset <= header.bytes - header.count;
  if (record.failed || !fits) return false;
  auto* address = reinterpret_cast<uint8_t*>(header.begin);
  if (header.offset == 0) {
    const uint64_t bytes = wholePages(header.bytes);
    if (mapDeviceMemory(header.begin, bytes) == nullptr) return false;
    constants.push_back({address, bytes});
    regions.push_back({address, header.bytes, Access::In, "the constants of the kernel", GmRegion::Constants});
  }
  if (regions.empty() || regions.back().base != address || regions.back().bytes != header.bytes) return false;
  record.bytes(address + header.offset, header.count);
  return !record.failed && record.isAtEnd();
}

void forgetConstants() {
  for (const Mapping& each : constants) munmap(each.address, each.bytes);
  constants.clear();
}

// ---- records -------------------------------------------------------------------------------------------------------

void carryOutRecord(const StreamReader::Record& record) {
  WireReader arguments = record.reader();
  if (record.call == KernelTraps) {
    const auto check = arguments.plain<Check>();
    const std::string instruction = arguments.text(), message = arguments.text(), hint = arguments.text();
    if (arguments.failed || !arguments.isAtEnd()) refuse("the kernel ends for no reason");
    trap({check, instruction, message, keptText(hint)});
  } else {
    const std::vector<ApiCall>& calls = apiCalls();
    if (record.call >= calls.size() || calls[record.call].carryOut == nullptr) refuse("there is no such call");
    calls[record.call].carryOut(arguments);
  }
  if (arguments.failed) refuse("a call has other arguments");
}

// What the running core issues, up to a record of that kind.
void carryOutUntil(OwnRecord end) {
  StreamReader::Record record{};
  for (;;) {
    if (!stream->next(record)) refuse(stream->problem());
    if (record.core != core->number) refuse("another core goes on than the one that runs");
    core->place = stream->place();
    if (record.code != 0) scalarCode(record.code);
    if (record.call == end) {
      if (record.argumentBytes != 0) refuse("a call has other arguments");
      return;
    }
    carryOutRecord(record);
  }
}

void carryOutKernel(uint8_t* const*) { carryOutUntil(CoreEnds); }

// Functions of a kernel copy blocks of a Matmul. Each call within another takes a part of the stack.
constexpr uint32_t nestingLimit = 4;
void carryOutFunction(const matmul::UserCopy&) {
  if (core->functionsUnderWay == nestingLimit) refuse("functions of the kernel call each other without end");
  ++core->functionsUnderWay;
  carryOutUntil(FunctionEnds);
  --core->functionsUnderWay;
}

}  // namespace

// ---- the process of the kernel -------------------------------------------------------------------------------------

void writeFacts(const KernelFacts& facts) {
  WireWriter record = beginRecord(LaunchBegins, CallPath());
  record.plain(facts);
  endRecord(record);
}

namespace {

struct PlacedConstants {
  const uint8_t* begin;
  size_t bytes;
  uintptr_t place;  // on the device
};
std::vector<PlacedConstants> placed;
constexpr size_t constantsAtOnce = 4096;

}  // namespace

uint64_t addressOnDevice(const void* address) {
  const auto* at = static_cast<const uint8_t*>(address);
  for (const PlacedConstants& each : placed)
    if (at >= each.begin && at < each.begin + each.bytes) return each.place + static_cast<uint64_t>(at - each.begin);
  return reinterpret_cast<uint64_t>(address);
}

void forgetConstantPlaces() { placed.clear(); }

uint32_t placeConstants(const GmRegion& region, uintptr_t& place) {
  placed.push_back({region.base, region.bytes, place});
  place += wholePages(region.bytes) + pageSize;
  return static_cast<uint32_t>((region.bytes + constantsAtOnce - 1) / constantsAtOnce);
}

void writeConstants() {
  for (const PlacedConstants& each : placed) {
    for (size_t done = 0; done < each.bytes; done += constantsAtOnce) {
      const size_t count = std::min(constantsAtOnce, each.bytes - done);
      WireWriter record = beginRecord(Constants, CallPath());
      record.plain(ConstantsHeader{each.place, each.bytes, done, static_cast<uint32_t>(count)});
      record.bytes(each.begin + done, static_cast<uint32_t>(count));
      endRecord(record);
    }
  }
}

void writeTrap(const Finding& finding) {
  WireWriter record = beginRecord(KernelTraps);
  record.plain(finding.check);
  record.text(finding.instruction.c_str());
  record.text(finding.message.c_str());
  record.text(finding.hint);
  endRecord(record);
}

void callKernelFunction(matmul::UserFunction function, const matmul::UserCopy& copy) {
  function(copy);
  if (isIssuing()) endRecord(beginRecord(FunctionEnds, CallPath()));
}

// ---- the device ----------------------------------------------------------------------------------------------------

const char* keptText(std::string text) {
  for (const std::string& known : kept.texts)
    if (known == text) return known.c_str();
  if (kept.texts.size() >= keptLimit) refuse("there are too many texts");
  return kept.texts.emplace_back(std::move(text)).c_str();
}

const matmul::Traits* keptTraits(const matmul::Traits& given) {
  std::deque<matmul::Traits>& all = kept.traits;
  matmul::Traits traits = given;
  for (matmul::UserFunction* function : {&traits.copyOut, &traits.copyA, &traits.copyB})
    if (*function != nullptr) *function = carryOutFunction;
  for (const matmul::Traits& known : all)
    if (std::memcmp(&known, &traits, sizeof traits) == 0) return &known;
  if (all.size() >= keptLimit) refuse("there are too many types of Matmul objects");
  return &all.emplace_back(traits);
}

std::optional<KernelFacts> readFacts(StreamReader& from, std::vector<GmRegion>& regions, const char*& problem) {
  forgetConstants();  // of a kernel that came to its end before all of them had
  StreamReader::Record record{};
  problem = "the kernel has not begun";
  if (!from.next(record) || record.call != LaunchBegins) return std::nullopt;
  WireReader arguments = record.reader();
  const auto facts = arguments.plain<KernelFacts>();
  problem = "it begins with something else than a launch";
  if (arguments.failed || !arguments.isAtEnd() || facts.version != streamVersion) return std::nullopt;
  for (const KernelFacts::Library& library : {facts.aiv, facts.aic})
    if (library.base > library.begin || library.begin > library.end || library.end > addressEnd) return std::nullopt;
  problem = "its constants lie nowhere";
  for (uint32_t i = 0; i < facts.constants; ++i) {
    if (!from.next(record) || record.call != Constants) return std::nullopt;
    arguments = record.reader();
    if (!addConstants(arguments, regions)) return std::nullopt;
  }
  return facts;
}

LaunchResult replay(StreamReader& from, const LaunchRequest& request, bool hasAiv, bool hasAic) {
  LaunchRequest replayed = request;
  forgetKept();
  stream = &from;
  if (hasAiv) replayed.aiv.call = carryOutKernel;
  if (hasAic) replayed.aic.call = carryOutKernel;
  LaunchResult result = launch(replayed);
  stream = nullptr;
  forgetConstants();
  return result;
}

}  // namespace npu_emu
