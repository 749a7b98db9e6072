#include "worker.h"

#include <algorithm>
#include <array>
#include <memory>

#include <dlfcn.h>
#include <unistd.h>

#include "../../emulator/runner/encoding.h"
#include "acl_call.h"
#include "operator.h"

namespace npu_ascend {

using npu_runner::JsonArray;
using npu_runner::JsonError;
using npu_runner::JsonObject;

const char* nameOf(Phase phase) {
  constexpr std::array<const char*, 7> names = {"start", "prepare", "tiling", "launch", "wait", "collect", "idle"};
  // code of a candidate could write there what is none
  return names[std::min(static_cast<size_t>(phase), names.size() - 1)];
}

namespace {

// The package of the operator has no such symbol, or cannot be loaded.
struct NoSymbol {
  std::string message;
};

class Event {
 public:
  Event() { check("aclrtCreateEventWithFlag", aclrtCreateEventWithFlag(&event_, ACL_EVENT_TIME_LINE)); }
  ~Event() { (void)aclrtDestroyEvent(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record(aclrtStream stream) { check("aclrtRecordEvent", aclrtRecordEvent(event_, stream)); }
  double nanosecondsSince(const Event& start) const {
    float milliseconds = 0;
    check("aclrtEventElapsedTime", aclrtEventElapsedTime(&milliseconds, start.event_, event_));
    return static_cast<double>(milliseconds) * 1e6;
  }

 private:
  aclrtEvent event_ = nullptr;
};

// Memory that is written between launches, so that nothing of theirs stays near the cores, and the device is busy while the
// host prepares the next one.
class Scratch {
 public:
  explicit Scratch(uint64_t bytes) : bytes_(bytes) {
    if (bytes_ > 0) check("aclrtMalloc", aclrtMalloc(&memory_, bytes_, ACL_MEM_MALLOC_HUGE_FIRST));
  }
  ~Scratch() {
    if (memory_ != nullptr) (void)aclrtFree(memory_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void sweep(aclrtStream stream) const {
    if (bytes_ > 0) check("aclrtMemsetAsync", aclrtMemsetAsync(memory_, bytes_, 0, bytes_, stream));
  }

 private:
  void* memory_ = nullptr;
  uint64_t bytes_;
};

// What a series of timed launches works on.
struct Series {
  std::vector<std::unique_ptr<Arguments>> sets;
  std::unique_ptr<Scratch> scratch;
  std::unique_ptr<Scratch> filler;
  size_t next = 0;
};

class Worker {
 public:
  Worker(const WorkerOptions& options, std::atomic<Phase>& phase) : options_(options), phase_(phase) {
    phase_ = Phase::Start;
    check("aclInit", aclInit(nullptr));
    uint32_t devices = 0;
    check("aclrtGetDeviceCount", aclrtGetDeviceCount(&devices));
    devices_ = devices;
    if (options_.device < 0 || static_cast<uint32_t>(options_.device) >= devices)
      throw Unable{"there is no device " + std::to_string(options_.device) + ": the runtime sees " +
                   std::to_string(devices)};
    check("aclrtSetDevice", aclrtSetDevice(options_.device));
    if (options_.resets) {
      check("aclrtResetDevice", aclrtResetDevice(options_.device));
      check("aclrtSetDevice", aclrtSetDevice(options_.device));
    }
    check("aclrtCreateStream", aclrtCreateStream(&stream_));
    const std::vector<void*> libraries = loaded(options_.libraries);
    for (const Call& call : calls)
      symbols_.push_back({symbol(libraries, call.workspaceSymbol), symbol(libraries, call.runSymbol)});
  }

  Json answer(const Json& request) {
    const std::string& op = request.at("op").string("op");
    if (op == "open") {
      const char* soc = aclrtGetSocName();
      return JsonObject{{"ok", true}, {"soc", soc == nullptr ? "" : soc}, {"devices", uint64_t{devices_}}};
    }
    if (op == "launch") return launch(request);
    if (op == "prepare") return prepare(request);
    if (op == "time") return time(request);
    if (op == "release") {
      series_.reset();
      return JsonObject{{"ok", true}};
    }
    throw JsonError{"op: there is no " + op};
  }

  // Leaves the device as a new process would find it.
  void reset() { (void)aclrtResetDevice(options_.device); }

  // Lets everything go.
  void finalize() {
    series_.reset();
    reset();
    (void)aclFinalize();
  }

 private:
  static std::vector<void*> loaded(const std::vector<std::string>& paths) {
    std::vector<void*> libraries;
    for (const std::string& path : paths) {
      void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library == nullptr) throw NoSymbol{dlerror()};
      libraries.push_back(library);
    }
    return libraries;
  }

  static void* symbol(const std::vector<void*>& libraries, const char* name) {
    for (void* library : libraries)
      if (void* found = dlsym(library, name)) return found;
    throw NoSymbol{std::string("the package of the operator has no ") + name};
  }

  // All calls of the operator between two events: their first phases come before. Returns the bytes of workspace.
  uint64_t launchOnce(const Arguments& given, Event& before, Event& after, int limitMs) {
    phase_ = Phase::Tiling;
    struct Ready {
      uint64_t offset, bytes;
      aclOpExecutor* executor;
    };
    std::vector<Ready> ready;
    uint64_t bytes = 0;
    for (size_t i = 0; i < calls.size(); i++) {
      uint64_t own = 0;
      aclOpExecutor* executor = nullptr;
      check(calls[i].workspaceSymbol, calls[i].ask(symbols_[i].ask, given, &own, &executor));
      ready.push_back({bytes, own, executor});
      bytes += (own + kWorkspaceAlignment - 1) / kWorkspaceAlignment * kWorkspaceAlignment;
    }
    phase_ = Phase::Launch;
    if (bytes > workspaceBytes_) {
      workspace_ = nullptr;  // its memory is let go with the process: another launch may still use it
      check("aclrtMalloc", aclrtMalloc(&workspace_, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
      workspaceBytes_ = bytes;
    }
    before.record(stream_);
    for (size_t i = 0; i < calls.size(); i++) {
      void* own = ready[i].bytes == 0 ? nullptr : static_cast<uint8_t*>(workspace_) + ready[i].offset;
      check(calls[i].runSymbol, calls[i].run(symbols_[i].run, own, ready[i].bytes, ready[i].executor, stream_));
    }
    after.record(stream_);
    phase_ = Phase::Wait;
    check("aclrtSynchronizeStreamWithTimeout", aclrtSynchronizeStreamWithTimeout(stream_, limitMs));
    return bytes;
  }

  Json launch(const Json& request) {
    phase_ = Phase::Prepare;
    const CaseFile file(request.at("file").string("file"), request.at("fileBytes").unsignedInteger("fileBytes"));
    const auto poison = npu_runner::eightBytes(request.at("poison").string("poison"));
    // kept where a call fails: letting memory of a device go that does not answer may take for ever
    auto given = std::make_unique<Arguments>(request, file, poison);
    auto events = std::make_unique<std::array<Event, 2>>();
    try {
      const int limitMs = static_cast<int>(request.at("timeoutMs").integer("timeoutMs"));
      const uint64_t bytes = launchOnce(*given, (*events)[0], (*events)[1], limitMs);
      phase_ = Phase::Collect;
      given->readOutputs(file);
      JsonArray damages, overwritten;
      for (const auto& [name, damage] : given->damages())
        damages.push_back(JsonObject{{"name", name}, {"offset", damage.offset}});
      for (const auto& name : given->overwrittenInputs(file)) overwritten.emplace_back(name);
      return JsonObject{{"ok", true},
                        {"ns", (*events)[1].nanosecondsSince((*events)[0])},
                        {"workspaceBytes", bytes},
                        {"damages", damages},
                        {"overwritten", overwritten}};
    } catch (const AclFailure&) {
      (void)given.release();
      (void)events.release();
      throw;
    }
  }

  // Lays the tensors of a case out as often as a series rotates over.
  Json prepare(const Json& request) {
    phase_ = Phase::Prepare;
    series_.reset();
    const CaseFile file(request.at("file").string("file"), request.at("fileBytes").unsignedInteger("fileBytes"));
    const auto poison = npu_runner::eightBytes(request.at("poison").string("poison"));
    const uint64_t cacheBytes = request.at("cacheBytes").unsignedInteger("cacheBytes");
    const uint64_t mostSets = request.at("mostSets").unsignedInteger("mostSets");
    const uint64_t leastSets = request.at("leastSets").unsignedInteger("leastSets");
    auto series = std::make_unique<Series>();
    series->sets.push_back(std::make_unique<Arguments>(request, file, poison));
    const uint64_t bytes = std::max<uint64_t>(series->sets[0]->bytes(), 1);
    const uint64_t wanted = std::min(std::max(cacheBytes / bytes + 1, leastSets), mostSets);
    while (series->sets.size() < wanted) series->sets.push_back(std::make_unique<Arguments>(request, file, poison));
    const bool exceeds = bytes * wanted > cacheBytes;
    series->scratch = std::make_unique<Scratch>(exceeds ? 0 : cacheBytes);
    series->filler = std::make_unique<Scratch>(kFillerBytes);
    series_ = std::move(series);
    return JsonObject{{"ok", true}, {"sets", wanted}, {"sweeps", !exceeds}};
  }

  Json time(const Json& request) {
    if (!series_) throw JsonError{"time: nothing was prepared"};
    const bool cold = request.at("cold").boolean("cold");
    const uint64_t launches = request.at("launches").unsignedInteger("launches");
    const int limitMs = static_cast<int>(request.at("timeoutMs").integer("timeoutMs"));
    JsonArray samples;
    for (uint64_t i = 0; i < launches; i++) {
      const Arguments& given = *series_->sets[cold ? series_->next++ % series_->sets.size() : 0];
      if (cold) series_->scratch->sweep(stream_);
      series_->filler->sweep(stream_);
      auto before = std::make_unique<Event>(), after = std::make_unique<Event>();
      try {
        launchOnce(given, *before, *after, limitMs);
        samples.emplace_back(after->nanosecondsSince(*before));
      } catch (const AclFailure&) {
        (void)before.release();
        (void)after.release();
        (void)series_.release();
        throw;
      }
    }
    return JsonObject{{"ok", true}, {"samples", samples}};
  }

  struct Symbols {
    void* ask;
    void* run;
  };
  static constexpr uint64_t kFillerBytes = 1 << 20;
  static constexpr uint64_t kWorkspaceAlignment = 512;
  WorkerOptions options_;
  std::atomic<Phase>& phase_;
  uint32_t devices_ = 0;
  aclrtStream stream_ = nullptr;
  std::vector<Symbols> symbols_;
  void* workspace_ = nullptr;
  uint64_t workspaceBytes_ = 0;
  std::unique_ptr<Series> series_;
};

Json failureOf(const char* kind, const std::string& message, Phase phase) {
  return JsonObject{{"ok", false}, {"kind", kind}, {"message", message}, {"phase", nameOf(phase)}};
}

// Calls `work`, and answers what it throws. False: the process is of no further use.
template <typename Work>
bool answered(int answers, const std::atomic<Phase>& phase, Work work) {
  try {
    writeLine(answers, work().dump());
    return true;
  } catch (const AclFailure& failure) {
    writeLine(answers, Json(JsonObject{{"ok", false},
                                       {"kind", "acl"},
                                       {"call", failure.call},
                                       {"code", failure.code},
                                       {"message", failure.message},
                                       {"phase", nameOf(phase)}})
                           .dump());
  } catch (const NoSymbol& failure) {
    writeLine(answers, failureOf("symbol", failure.message, phase).dump());
  } catch (const Unable& failure) {
    writeLine(answers, failureOf("unable", failure.message, phase).dump());
  } catch (const JsonError& failure) {
    writeLine(answers, failureOf("unable", failure.message, phase).dump());
  } catch (const std::exception& failure) {
    writeLine(answers, failureOf("unable", failure.what(), phase).dump());
  }
  return false;
}

}  // namespace

void serve(int requests, int answers, const WorkerOptions& options, std::atomic<Phase>& phase) {
  std::string buffered, line;
  std::unique_ptr<Worker> worker;
  while (readLine(requests, buffered, line)) {
    const bool goesOn = answered(answers, phase, [&] {
      if (!worker) worker = std::make_unique<Worker>(options, phase);
      return worker->answer(Json::parse(line));
    });
    if (!goesOn) {
      if (worker) worker->reset();
      _exit(0);
    }
    phase = Phase::Idle;
  }
  if (worker && options.finalizes) worker->finalize();
  // no destructor: a device that does not answer must not keep the process
  _exit(0);
}

}  // namespace npu_ascend
