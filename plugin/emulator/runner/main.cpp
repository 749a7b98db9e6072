// npu-runner: loads operator libraries that nobody trusts and runs them, one JSON request a line.
//
// The supervisor (this process) never runs candidate code. For each kernel, and for each request to a host part, it forks a
// child, which gives up everything before it loads the libraries. The supervisor keeps the time, reads how a child ended, and
// writes every answer.
//
// A launch is a matter of two: the process of the kernel, which holds the candidate's code and is believed in nothing but the
// instructions that it issues, and the process of the device, which holds none and carries them out. Outputs, reports and
// latency are the device's. Outputs are judged elsewhere, on what lies in the case file.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <ios>
#include <list>
#include <memory>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "case_memory.h"
#include "child.h"
#include "host_node.h"
#include "lockdown.h"
#include "serve.h"

namespace npu_runner {

namespace {

// For each dtype combination of one task a kernel and its device: a search draws them in any order. An idle child costs its
// own pages only, a few megabytes.
constexpr size_t maxChildren = 32;
// Of host processes that are killed and not gone yet.
constexpr size_t maxEndedHosts = 2;
constexpr std::chrono::seconds secondsToLoad{60};
constexpr uint64_t hostMemory = uint64_t(4096) << 20;
constexpr int noTemplate = -1;

// The poisoned pages that workspaces are copies of, and those of the memories of cores. Sealed: no child can change what the next
// one sees.
Descriptor makeMemoryTemplate() {
  static_assert(workspaceTemplateBytes == npu_emu::leftoversOffset);
  Descriptor file(memfd_create("npu-template", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  std::vector<uint16_t> pattern(workspaceTemplateBytes / sizeof(uint16_t), workspacePattern);
  constexpr uint16_t leftovers = npu_emu::leftover << 8 | npu_emu::leftover;
  pattern.resize(pattern.size() + npu_emu::leftoversBytes / sizeof(uint16_t), leftovers);
  pattern.resize(pattern.size() + workspaceTemplateBytes / sizeof(uint16_t), negativePattern);
  const size_t all = pattern.size() * sizeof(uint16_t);
  if (!file || write(file.get(), pattern.data(), all) != static_cast<ssize_t>(all))
    throw Infrastructure{std::string("memory template: ") + std::strerror(errno)};
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  return file;
}

// The children that live, the one used last in front.
class Children {
 public:
  explicit Children(MissingLayers allowed) : allowed_(allowed) {}

  Child& get(const ChildKey& key, size_t memoryBytes) {
    for (auto it = children_.begin(); it != children_.end(); ++it) {
      if (!((*it)->key() == key)) continue;
      children_.splice(children_.begin(), children_, it);
      return *children_.front();
    }
    while (children_.size() >= maxChildren) children_.pop_back();
    children_.push_front(start(key, memoryBytes));
    return *children_.front();
  }

  // Of a host part, for a tiling or a description. It can leave something for its next call wherever native code can (in the C
  // library, in memory of its own, in the state of its process), so that nothing else is asked of that process but the inference
  // of the case that it has tiled.
  Child& getHost(const ChildKey& key, const TimeLimit& limit) {
    endHost();
    if (nextHost_ && !(nextHost_->key() == key)) nextHost_.reset();
    host_ = nextHost_ ? std::move(nextHost_) : startHost(key, limit);
    return *host_;
  }
  Child& getHostThatTiled(const ChildKey& key, const TimeLimit& limit) {
    return host_ && host_->key() == key && !host_->isGone() ? *host_ : getHost(key, limit);
  }
  // It is asked nothing more. Its end is work for a processor, which whoever waits for the reply would wait for.
  void endHost() {
    if (host_) endedHosts_.push_back(std::move(host_));
  }
  // Between two requests the next one starts, and those before are ended. During a launch they would take processors from
  // those who are waited for.
  void prepareHost() {
    if (std::exchange(isHostWanted_, false)) startNextHost();
    for (const auto& host : endedHosts_) host->kill();
    endedHosts_.remove_if([](const std::unique_ptr<Child>& host) { return host->hasEnded(); });
    // those that take their time are waited for
    while (endedHosts_.size() > maxEndedHosts) endedHosts_.pop_front();
  }
  // After a launch another case follows, most likely.
  void expectHost(const TimeLimit& limit) {
    isHostWanted_ = true;
    hostLimit_ = limit;
  }

  // Discards those that are gone.
  void sweep() {
    children_.remove_if([](const std::unique_ptr<Child>& child) { return child->isGone(); });
  }

 private:
  std::unique_ptr<Child> start(const ChildKey& key, size_t memoryBytes) const {
    return std::make_unique<Child>(key, template_.get(), memoryBytes, allowed_);
  }
  // It loads its library before anybody asks it, and may never be asked: it gets no more time than two requests.
  std::unique_ptr<Child> startHost(const ChildKey& key, const TimeLimit& limit) const {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(2 * limit.processor);
    return std::make_unique<Child>(key, noTemplate, hostMemory, allowed_, secondsToLoad + seconds);
  }

  void startNextHost() {
    const Child* const model = host_ ? host_.get() : endedHosts_.empty() ? nullptr : endedHosts_.back().get();
    if (model == nullptr || (nextHost_ && nextHost_->key() == model->key())) return;
    try {
      nextHost_ = startHost(model->key(), hostLimit_);
    } catch (const Infrastructure&) {
      // it is started, or fails, when it is needed
    } catch (const std::exception&) {
      // likewise
    }
  }

  MissingLayers allowed_;
  Descriptor template_ = makeMemoryTemplate();
  std::list<std::unique_ptr<Child>> children_, endedHosts_;
  std::unique_ptr<Child> host_, nextHost_;
  bool isHostWanted_ = false;
  TimeLimit hostLimit_{};
};

Json failed(const char* kind, JsonObject details) {
  details.insert(details.begin(), {"kind", kind});
  return JsonObject{{"ok", false}, {"failure", std::move(details)}};
}

std::string optionalPath(const Json& kernel, const char* name) {
  const Json& path = kernel.at(name);
  return path.isNull() ? std::string() : path.string(name);
}

ChildKey hostKeyOf(const Json& request) { return makeKey(Role::Host, {request.at("host").string("host")}); }

ChildKey keyOf(const Json& request, const std::string& op) {
  if (op == "describe" || op == "tile" || op == "tilings") return hostKeyOf(request);
  if (op != "launch") throw JsonError{"unknown op " + op};
  const Json& kernel = request.at("kernel");
  ChildKey key = makeKey(Role::Kernel, {optionalPath(kernel, "aiv"), optionalPath(kernel, "aic")});
  if (key.identity.empty()) throw JsonError{"a kernel has at least one library"};
  return key;
}

std::vector<Descriptor> openCaseFile(const Json& request) {
  const std::string& path = request.at("file").string("file");
  std::vector<Descriptor> files;
  for (const int mode : {O_RDONLY, O_RDWR}) {
    files.emplace_back(open(path.c_str(), mode | O_CLOEXEC | O_NOFOLLOW));
    if (!files.back()) throw Infrastructure{path + ": " + std::strerror(errno)};
  }
  struct stat status;
  const uint64_t expected = request.at("fileBytes").unsignedInteger("fileBytes");
  const bool regular = fstat(files[0].get(), &status) == 0 && S_ISREG(status.st_mode);
  if (!regular || static_cast<uint64_t>(status.st_size) < expected)
    throw Infrastructure{path + " has fewer than " + std::to_string(expected) + " bytes"};
  return files;
}

// What the child said, reduced to what a child may say.
Json checked(const Json& answer) {
  const Json* result = answer.find("result");
  if (answer.at("ok").boolean("ok") && result != nullptr) return answered(*result);
  return failed("rejected", {{"message", answer.at("failure").at("message").string("message")}});
}

Json replyTo(const Outcome& outcome) {
  if (outcome.kind == Outcome::TimedOut) return failed("timeout", {});
  if (outcome.kind == Outcome::NoRoom) {
    const std::string where = outcome.place.empty() ? "" : " at " + outcome.place;
    return failed("infrastructure", {{"message", "no room for a page of the case: the device died of SIGBUS" + where}});
  }
  const Json exitCode = outcome.exitCode ? Json(*outcome.exitCode) : Json();
  if (outcome.kind == Outcome::Died) {
    JsonObject details{{"signal", outcome.signal}, {"exitCode", exitCode}};
    if (!outcome.place.empty()) details.emplace_back("address", outcome.place);
    return failed("died", std::move(details));
  }
  try {
    return checked(outcome.answer);
  } catch (const JsonError&) {
    return failed("died", {{"signal", "invalid reply"}, {"exitCode", nullptr}});
  }
}

JsonObject replyWithLog(const Outcome& outcome) {
  JsonObject said = replyTo(outcome).takeObject("reply");
  said.emplace_back("log", outcome.log);
  return said;
}

std::chrono::milliseconds millisecondsOf(const Json& request, const char* name) {
  constexpr uint64_t week = 7 * 24 * 3600 * 1000;
  const uint64_t value = request.at(name).unsignedInteger(name);
  if (value == 0 || value > week) throw JsonError{std::string(name) + " must be between 1 and " + std::to_string(week)};
  return std::chrono::milliseconds(value);
}

// What a host part is asked of its case.
std::string question(const char* op, const Json& hostCase) {
  JsonObject members = hostCase.object("hostCase");
  members.insert(members.begin(), {"op", op});
  return Json(std::move(members)).dump();
}

// What the inference functions of the host part say of the case, which they are asked while it is launched.
class Inference {
 public:
  Inference(const Json& hostCase, const TimeLimit& limit, Children& children)
      : key_(hostKeyOf(hostCase)), text_(question("infer", hostCase)), limit_(limit), children_(children) {
    readTileRequest(hostCase);
  }

  // Once, also where the launch begins anew.
  void begin() {
    if (std::exchange(hasBegun_, true)) return;
    try {
      child_ = &children_.getHostThatTiled(key_, limit_);
      problem_ = child_->begin({text_, {}, hostMemory, limit_});
    } catch (const Infrastructure& error) {
      // of the launch, which goes on, nothing is lost
      child_ = nullptr;
      trouble_ = error.message;
    }
  }
  JsonObject end() {
    if (child_ == nullptr) {
      JsonObject said = failed("infrastructure", {{"message", trouble_}}).takeObject("reply");
      said.emplace_back("log", "");
      return said;
    }
    return replyWithLog(problem_ ? *problem_ : child_->finish(limit_));
  }

 private:
  ChildKey key_;
  std::string text_;
  TimeLimit limit_;
  Children& children_;
  bool hasBegun_ = false;
  Child* child_ = nullptr;
  std::optional<Outcome> problem_;
  std::string trouble_ = "the inference was not asked for";
};

Json without(std::initializer_list<const char*> names, const Json& object) {
  JsonObject members;
  for (const auto& member : object.object("request"))
    if (std::find(names.begin(), names.end(), member.first) == names.end()) members.push_back(member);
  return members;
}

struct Handled {
  Json reply;
  std::string log;
};

// What a launch needs of the tiling.
constexpr const char* tilingMembers[] = {"blockDim",       "tilingKey", "tiling",
                                         "workspaceBytes", "initial",   "shapedOutputs"};

// `tileAnswer` of protocol.ts refuses what is beyond: no such launch would be judged.
bool isLaunchable(const Json& tiling) {
  constexpr size_t longestText = (npu_emu::host::tilingCapacity + 2) / 3 * 4;
  const auto fits = [&](const char* name) { return tiling.at(name).unsignedInteger(name) <= UINT32_MAX; };
  return fits("blockDim") && fits("shapedOutputs") && tiling.at("tiling").string("tiling").size() <= longestText;
}

// The request with what the host part has answered; nothing where that is no tiling.
std::optional<Json> tiledRequest(const Json& request, const Outcome& outcome) {
  if (outcome.kind != Outcome::Answered) return {};
  try {
    if (!outcome.answer.at("ok").boolean("ok")) return {};
    const Json& result = outcome.answer.at("result");
    if (!isLaunchable(result)) return {};
    JsonObject members = without({"tile"}, request).takeObject("request");
    for (const char* name : tilingMembers) members.emplace_back(name, result.at(name));
    const Json tiled(std::move(members));
    if (readLaunch(tiled).tiling.size() > npu_emu::host::tilingCapacity) return {};
    return tiled;
  } catch (const JsonError&) {
    return {};
  }
}

Handled launchTiled(const Json& request, const ChildKey& key, const TimeLimit& limit, Children& children) {
  const bool isRepeatable = !overwritesInputs(readLaunch(request).arguments);
  const std::vector<Descriptor> files = openCaseFile(request);
  // The case file is mapped in the same address space, and is not of the candidate's making.
  const uint64_t memory = (request.at("memoryLimitMiB").unsignedInteger("memoryLimitMiB") << 20) +
                          request.at("fileBytes").unsignedInteger("fileBytes");
  // neither the kernel nor its device has to know what the host part is asked
  const std::string text = without({"hostCase", "infer"}, request).dump();
  std::optional<Inference> inference;
  if (request.find("infer") != nullptr) inference.emplace(request.at("hostCase"), limit, children);
  const auto meanwhile = [&] {
    if (inference) inference->begin();
  };
  Child& kernel = children.get(key, memory);
  // one for each kernel: what a stream has done to it, it does to nobody else
  Child& device = children.get({Role::Device, key.libraries, key.identity}, memory);
  const Outcome outcome =
      launch(device, kernel, {text, files[0].get(), files[1].get(), memory, limit, isRepeatable, meanwhile});
  JsonObject reply = replyTo(outcome).takeObject("reply");
  if (inference && outcome.kind == Outcome::Answered) reply.emplace_back("inferred", inference->end());
  // the next case is another one's, and who was not waited for owes an answer
  if (inference) {
    children.endHost();
    children.expectHost(limit);
  }
  return {std::move(reply), outcome.log};
}

// Whoever has tiled a case tiles no other, whatever became of the case.
struct HostOfOneCase {
  Children& children;
  const TimeLimit& limit;
  ~HostOfOneCase() {
    children.endHost();
    children.expectHost(limit);
  }
};

// One exchange for both: what the host part says is passed on, and is judged elsewhere.
Handled tileAndLaunch(const Json& request, const ChildKey& key, const TimeLimit& limit, Children& children) {
  const Json& hostCase = request.at("hostCase");
  // mistakes of ours
  readTileRequest(hostCase);
  readArguments(request.at("args"), request.at("fileBytes").unsignedInteger("fileBytes"));
  const HostOfOneCase host{children, limit};
  const Outcome outcome =
      children.getHost(hostKeyOf(hostCase), limit).ask({question("tile", hostCase), {}, hostMemory, limit});
  JsonObject tiled = replyWithLog(outcome);
  const std::optional<Json> launch = tiledRequest(request, outcome);
  Handled handled{failed("rejected", {{"message", "the case has no tiling"}}), ""};
  if (launch) handled = launchTiled(*launch, key, limit, children);
  JsonObject reply = std::move(handled.reply).takeObject("reply");
  reply.emplace_back("tiled", std::move(tiled));
  return {std::move(reply), handled.log};
}

Handled handle(const std::string& line, Children& children) {
  const Json request = Json::parse(line);
  const std::string& op = request.at("op").string("op");
  const TimeLimit limit{millisecondsOf(request, "timeoutMs"), millisecondsOf(request, "clockLimitMs")};
  const ChildKey key = keyOf(request, op);
  if (op == "launch" && request.find("tile") != nullptr) return tileAndLaunch(request, key, limit, children);
  if (op == "launch") return launchTiled(request, key, limit, children);
  // Read once before a child sees it: a mistake found here is ours, one found there would be the candidate's.
  if (op == "tile") readTileRequest(request);
  const char* others = op == "tilings" ? "cases" : "after";
  const Json* many = request.find(others);
  if (many != nullptr)
    for (const Json& one : many->array(others)) readTileRequest(one);
  const Outcome outcome = children.getHost(key, limit).ask({line, {}, hostMemory, limit});
  // it has seen many cases: nothing else is asked of it
  if (many != nullptr) children.endHost();
  if (op == "tile" && many != nullptr) children.expectHost(limit);
  return {replyTo(outcome), outcome.log};
}

Json serveLine(const std::string& line, Children& children) {
  Handled handled;
  try {
    handled = handle(line, children);
  } catch (const Infrastructure& error) {
    handled.reply = failed("infrastructure", {{"message", error.message}});
  } catch (const JsonError& error) {
    handled.reply = failed("infrastructure", {{"message", "request: " + error.message}});
  } catch (const std::exception& error) {
    handled.reply = failed("infrastructure", {{"message", error.what()}});
  }
  children.sweep();
  JsonObject members = std::move(handled.reply).takeObject("reply");
  members.emplace_back("log", handled.log);
  return members;
}

// A child is a copy of this process: what the environment held must not be in its memory.
void wipeEnvironment() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    std::memset(*entry, 0, std::strlen(*entry));
  clearenv();
}

int run(MissingLayers allowed) {
  signal(SIGINT, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  wipeEnvironment();
  leaveNetwork();
  dropBoundingSet();
  // Many host parts include <iostream>: here its streams are made once, and not in each of their processes.
  const std::ios_base::Init streams;
  Children children(allowed);
  char* line = nullptr;
  size_t capacity = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, stdin)) > 0) {
    const Json reply = serveLine(std::string(line, static_cast<size_t>(length)), children);
    const std::string text = reply.dump() + "\n";
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) break;
    children.prepareHost();
  }
  std::free(line);
  return 0;
}

}  // namespace

}  // namespace npu_runner

// npu-runner [--allow-missing LAYER]...
//   serves requests from standard input; a layer of the confinement that is named may be missing
// npu-runner --confinement
//   says which layers this machine has
int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--confinement") == 0) {
    const npu_runner::JsonObject report{{"seccomp", npu_runner::hasSeccomp()}, {"landlock", npu_runner::hasLandlock()}};
    std::puts(npu_runner::Json(report).dump().c_str());
    return 0;
  }
  npu_runner::MissingLayers allowed;
  for (int i = 1; i + 1 < argc && std::strcmp(argv[i], "--allow-missing") == 0; i += 2) {
    allowed.landlock |= std::strcmp(argv[i + 1], "landlock") == 0;
    allowed.seccomp |= std::strcmp(argv[i + 1], "seccomp") == 0;
  }
  try {
    return npu_runner::run(allowed);
  } catch (const npu_runner::Deserted&) {
    // on its way out it has killed what it had started
    return 0;
  } catch (const npu_runner::Infrastructure& error) {
    std::fprintf(stderr, "npu-runner: %s\n", error.message.c_str());
    return 1;
  }
}
