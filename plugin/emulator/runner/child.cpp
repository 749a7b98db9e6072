#include "child.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <fcntl.h>

#include "lockdown.h"
#include "serve.h"

namespace npu_runner {

namespace {

constexpr size_t replyLimit = size_t(4) << 20;
constexpr size_t tokenBytes = 16;
// What a kernel may say of the code that it has reached: some 100 000 blocks of a library.
constexpr size_t reachedLimit = size_t(1) << 18;
constexpr auto startLimit = std::chrono::seconds(20);
// How long a child that closed its socket may take to be gone.
constexpr int farewellMs = 200;
// How long a kernel may take to end once the device has ended its launch.
constexpr auto farewell = std::chrono::milliseconds(500);
// Processor time that a child gets to answer once it was told that its time is up, and how often it is told.
constexpr auto lastWords = std::chrono::seconds(1);
constexpr auto tellEvery = std::chrono::milliseconds(5);
constexpr auto shortWait = std::chrono::milliseconds(20);
const std::string readyMessage = "ready";
// Who asks this process, and would read its answers. Without them it has nothing left to do.
constexpr int asker = STDIN_FILENO;

Wait within(Clock::duration limit) { return {Clock::now() + limit, asker}; }

std::string errorText(const char* what) { return std::string(what) + ": " + std::strerror(errno); }

std::string signalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

// Proves that a reply was made by who received the request: writing to every descriptor at hand is not enough.
std::string makeToken() {
  std::string token(tokenBytes, '\0');
  if (getrandom(token.data(), token.size(), 0) != static_cast<ssize_t>(token.size()))
    throw Infrastructure{errorText("getrandom")};
  return token;
}

[[noreturn]] void runChild(const ChildKey& key, const Confinement& confinement, FaultNote* note) {
  const std::string problem = lockDown(confinement);
  if (!problem.empty()) {
    // its descriptors may have been moved already
    if (write(confinement.log, problem.data(), problem.size()) < 0) {
      const ssize_t ignored = write(STDERR_FILENO, problem.data(), problem.size());
      static_cast<void>(ignored);
    }
    std::_Exit(125);
  }
  watchFaults(note);
  sendMessage(socketFd, readyMessage, {}, {});
  serve(key.role, key.libraries);
}

// Waits up to `limitMs` for the end of the process; false when it still runs.
bool reap(pid_t pid, int limitMs, int& status) {
  const Deadline deadline = Clock::now() + std::chrono::milliseconds(limitMs);
  while (true) {
    const pid_t done = waitpid(pid, &status, WNOHANG);
    if (done == pid) return true;
    if (done < 0 && errno != EINTR) return true;
    if (Clock::now() >= deadline) return false;
    poll(nullptr, 0, 1);
  }
}

}  // namespace

ChildKey makeKey(Role role, std::vector<std::string> libraries) {
  ChildKey key{role, std::move(libraries), {}};
  for (const std::string& path : key.libraries) {
    if (path.empty()) continue;
    struct stat status;
    if (stat(path.c_str(), &status) != 0) throw Infrastructure{errorText(path.c_str())};
    for (const uint64_t part : {uint64_t(status.st_dev), uint64_t(status.st_ino), uint64_t(status.st_size),
                                uint64_t(status.st_mtim.tv_sec), uint64_t(status.st_mtim.tv_nsec)})
      key.identity += std::to_string(part) + ' ';
  }
  return key;
}

Child::Child(const ChildKey& key, int memoryTemplate, size_t memoryBytes, MissingLayers allowed,
             std::optional<std::chrono::seconds> processor)
    : key_(key) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) throw Infrastructure{errorText("socketpair")};
  socket_ = Descriptor(pair[0]);
  Descriptor theirs(pair[1]);
  log_ = Descriptor(memfd_create("npu-log", MFD_CLOEXEC));
  if (!log_ || fcntl(log_.get(), F_SETFL, O_APPEND) != 0) throw Infrastructure{errorText("log")};

  if (key.role == Role::Kernel) {
    streamFile_ = Descriptor(npu_emu::StreamMemory::createFile());
    if (!streamFile_) throw Infrastructure{errorText("instruction stream")};
    stream_ = std::make_unique<npu_emu::StreamMemory>(streamFile_.get());
  }

  void* shared = mmap(nullptr, sizeof(FaultNote), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw Infrastructure{errorText("mmap")};
  note_ = static_cast<FaultNote*>(shared);

  Confinement confinement{theirs.get(), log_.get(), memoryTemplate, memoryBytes, processor, {}, allowed};
  for (const std::string& path : key.libraries)
    if (!path.empty() && key.role != Role::Device) confinement.readable.push_back(path);
  pid_ = fork();
  if (pid_ < 0) throw Infrastructure{errorText("fork")};
  if (pid_ == 0) runChild(key_, confinement, note_);
  // no sibling inherits it
  madvise(note_, sizeof(FaultNote), MADV_DONTFORK);
  // the end of a child that is held by nobody else is noticed at once
  close(theirs.release());
}

void Child::awaitStart() {
  if (std::exchange(hasStarted_, true)) return;
  std::string message;
  std::vector<Descriptor> none;
  if (receiveMessage(socket_.get(), message, none, replyLimit, within(startLimit)) == Transfer::Done &&
      message == readyMessage)
    return;
  const Outcome outcome = ended(Outcome::Died);
  throw Infrastructure{"the child could not lock itself down: " + (outcome.log.empty() ? outcome.signal : outcome.log)};
}

Child::~Child() {
  if (pid_ > 0) ended(Outcome::TimedOut);
  if (note_ != nullptr) munmap(note_, sizeof(FaultNote));
}

// pid_ is our own unreaped child: the number cannot have been given to anyone else.
void Child::kill() const {
  if (pid_ > 0) ::kill(pid_, SIGKILL);
}

bool Child::hasEnded() {
  int status = 0;
  if (pid_ > 0 && reap(pid_, 0, status)) pid_ = -1;
  return pid_ < 0;
}

void Child::limitResources(size_t memoryBytes, const TimeLimit& limit) {
  const auto setSoft = [this](__rlimit_resource resource, rlim_t& hard, rlim_t value) {
    rlimit limits{};
    // what it cannot raise is looked up once
    if (hard == 0 && prlimit(pid_, resource, nullptr, &limits) == 0) hard = limits.rlim_max;
    if (hard == 0) return;
    limits = {std::min(value, hard), hard};
    prlimit(pid_, resource, &limits, nullptr);
  };
  setSoft(RLIMIT_AS, hardMemory_, memoryBytes);
  // A backstop for a supervisor that is itself stopped.
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(processorTime() + limit.processor).count();
  setSoft(RLIMIT_CPU, hardProcessor_, static_cast<rlim_t>(seconds) + 5);
}

// What it has used so far; nothing when it is gone.
std::chrono::nanoseconds Child::processorTime() const {
  clockid_t clock;
  timespec used{};
  if (clock_getcpuclockid(pid_, &clock) != 0 || clock_gettime(clock, &used) != 0) return {};
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

// How long it wanted to run and others did; nothing where the system does not tell.
std::chrono::nanoseconds Child::queuedTime() const {
  const std::string path = "/proc/" + std::to_string(pid_) + "/schedstat";
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char text[128];
  const ssize_t bytes = file ? read(file.get(), text, sizeof text - 1) : 0;
  text[std::max<ssize_t>(bytes, 0)] = '\0';
  long long ran = 0, queued = 0;
  return std::chrono::nanoseconds(std::sscanf(text, "%lld %lld", &ran, &queued) == 2 ? queued : 0);
}

// Children that are to answer, and the time that they have: of a processor each for itself, by the clock all together.
class Race {
 public:
  Race(std::vector<Child*> children, const TimeLimit& limit)
      : children_(std::move(children)), before_(children_.size()), limit_(limit) {}

  // Waits until one of them answers or is gone; what it does with the signal is its own affair. Each has a single
  // thread: until its processor time can be up it need not be looked after. Null when the time is up. Throws Deserted.
  Child* first() {
    std::vector<pollfd> entries;
    for (const Child* child : children_) entries.push_back({child->socket_.get(), POLLIN, 0});
    entries.push_back(askerEntry(asker));
    while (true) {
      std::chrono::nanoseconds next = leftByClock();
      if (next <= next.zero()) return nullptr;
      for (size_t i = 0; isUseNoted_ && i < children_.size(); ++i) {
        const std::chrono::nanoseconds left = limit_.processor - (children_[i]->processorTime() - before_[i].processor);
        if (left < -lastWords) return nullptr;
        if (left <= left.zero()) kill(children_[i]->pid_, SIGXCPU);
        next = std::min(next, std::max<std::chrono::nanoseconds>(left, tellEvery));
      }
      if (!isUseNoted_) next = std::min<std::chrono::nanoseconds>(next, shortWait);
      const int ready = poll(entries.data(), entries.size(), millisecondsUntil(Clock::now() + next));
      if (ready <= 0) noteUse();
      if (ready <= 0) continue;
      if (entries.back().revents != 0) throw Deserted{};
      for (size_t i = 0; i < children_.size(); ++i)
        if (entries[i].revents != 0) return children_[i];
    }
  }

  void leave(const Child* child) {
    const auto place = std::find(children_.begin(), children_.end(), child) - children_.begin();
    children_.erase(children_.begin() + place);
    before_.erase(before_.begin() + place);
  }
  void limitClock(std::chrono::milliseconds left) { limit_.clock = std::min(limit_.clock, sinceBegin() + left); }

 private:
  std::chrono::milliseconds sinceBegin() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_);
  }
  // Most answer at once: what they have used, and how long they have waited for a processor, is not looked up before.
  void noteUse() {
    if (std::exchange(isUseNoted_, true)) return;
    for (size_t i = 0; i < children_.size(); ++i)
      before_[i] = {children_[i]->processorTime(), children_[i]->queuedTime()};
  }
  // The clock stands still while one of them waits for a processor.
  std::chrono::nanoseconds leftByClock() const {
    const std::chrono::nanoseconds left = limit_.clock - (Clock::now() - begin_);
    if (left > left.zero() || !isUseNoted_) return left;
    std::chrono::nanoseconds queued{};
    for (size_t i = 0; i < children_.size(); ++i)
      queued = std::max(queued, children_[i]->queuedTime() - before_[i].queued);
    return left + queued;
  }

  std::vector<Child*> children_;
  std::vector<Child::Used> before_;
  TimeLimit limit_;
  Deadline begin_ = Clock::now();
  bool isUseNoted_ = false;
};

Transfer Child::send(const Request& request) {
  awaitStart();
  limitResources(request.memoryBytes, request.limit);
  token_ = makeToken();
  return sendMessage(socket_.get(), token_ + request.text, request.files, within(request.limit.clock));
}

// What has come, or is about to.
Outcome Child::receive(const TimeLimit& limit) {
  std::string message;
  std::vector<Descriptor> none;
  const Transfer transfer = receiveMessage(socket_.get(), message, none, replyLimit, within(limit.clock));
  if (transfer == Transfer::TimedOut) return ended(Outcome::TimedOut);
  if (transfer == Transfer::Closed) return ended(Outcome::Died);

  Outcome outcome{Outcome::Answered, {}, {}, {}, {}, {}};
  try {
    if (message.compare(0, tokenBytes, token_) != 0) throw JsonError{"wrong token"};
    outcome.answer = Json::parse(message.substr(tokenBytes));
  } catch (const JsonError&) {
    Outcome killed = ended(Outcome::Died);
    killed.signal = "invalid reply";
    killed.exitCode.reset();
    return killed;
  }
  outcome.log = takeLog();
  return outcome;
}

std::optional<Outcome> Child::begin(const Request& request) {
  const Transfer transfer = send(request);
  if (transfer == Transfer::Done) return {};
  return ended(transfer == Transfer::TimedOut ? Outcome::TimedOut : Outcome::Died);
}

Outcome Child::finish(const TimeLimit& limit) {
  return Race({this}, limit).first() == nullptr ? ended(Outcome::TimedOut) : receive(limit);
}

Outcome Child::ask(const Request& request) {
  std::optional<Outcome> problem = begin(request);
  return problem ? *std::move(problem) : finish(request.limit);
}

namespace {

bool isRejected(const Outcome& outcome) {
  const Json* ok = outcome.answer.find("ok");
  return ok == nullptr || !ok->isBool() || !ok->boolean("ok");
}

bool asksForAnother(const Outcome& issued) {
  if (issued.kind != Outcome::Answered || issued.answer.isNull() || isRejected(issued)) return false;
  const Json* result = issued.answer.find("result");
  const Json* again = result == nullptr ? nullptr : result->find("again");
  return again != nullptr && again->isBool() && again->boolean("again");
}

// The device's answer with what the kernel's process says of the code that it has reached: hearsay, which is passed on as
// long as it is no longer than what a kernel says.
void addReached(Outcome& carriedOut, const Outcome& issued) {
  if (carriedOut.kind != Outcome::Answered || issued.kind != Outcome::Answered) return;
  const Json* const result = carriedOut.answer.find("result");
  const Json* const told = issued.answer.find("result");
  if (result == nullptr || !result->isObject() || told == nullptr || !told->isObject()) return;
  JsonObject reached;
  for (const char* library : {"aiv", "aic"}) {
    const Json* const blocks = told->find(library);
    if (blocks == nullptr || !blocks->isString() || blocks->string(library).size() > reachedLimit) return;
    reached.emplace_back(library, *blocks);
  }
  JsonObject members = result->object("result");
  members.emplace_back("reached", std::move(reached));
  carriedOut.answer = answered(std::move(members));
}

}  // namespace

Launched launchOnce(Child& device, Child& kernel, const Launching& launching) {
  const TimeLimit& limit = launching.limit;
  const npu_emu::StreamMemory& stream = *kernel.stream_;
  const int file = kernel.streamFile_.get(), readOnly = launching.readOnly;
  // none is asked before both are there: who has been asked is to be waited for
  kernel.awaitStart();
  device.awaitStart();
  stream.clear();
  // the device waits for what the kernel issues
  const Transfer toKernel = kernel.send({launching.request, {readOnly, file}, launching.memoryBytes, limit});
  const Transfer toDevice =
      device.send({launching.request, {readOnly, launching.readWrite, file}, launching.memoryBytes, limit});
  if (toDevice != Transfer::Done) {
    // it would answer when nobody asks any more
    kernel.ended(Outcome::TimedOut);
    return {device.ended(Outcome::Died)};
  }
  if (toKernel != Transfer::Done) stream.end();
  Race race({&device, &kernel}, limit);
  if (launching.meanwhile) launching.meanwhile();

  Outcome issued{Outcome::TimedOut, {}, {}, {}, {}, {}}, carriedOut = issued;
  bool hasIssued = false, hasCarriedOut = false;
  while (!hasIssued || !hasCarriedOut) {
    Child* const first = race.first();
    if (first == nullptr) break;
    race.leave(first);
    if (first == &kernel) {
      issued = kernel.receive(limit);
      hasIssued = true;
      stream.end();
    } else {
      carriedOut = device.receive(limit);
      hasCarriedOut = true;
      stream.stop();
      // what the kernel still does matters to nobody
      race.limitClock(farewell);
    }
  }
  if (!hasIssued) {
    issued = kernel.ended(Outcome::TimedOut);
    // the launch was over: that the kernel did not end as well changes nothing
    if (hasCarriedOut && carriedOut.kind == Outcome::Answered) issued.kind = Outcome::Answered;
  }
  if (!hasCarriedOut) carriedOut = device.ended(Outcome::TimedOut);
  // It holds no code of a candidate: what it dies of so is a full disk or memory, whatever the kernel did meanwhile.
  if (carriedOut.kind == Outcome::Died && carriedOut.signal == "SIGBUS") {
    carriedOut.kind = Outcome::NoRoom;
    carriedOut.log = issued.log + carriedOut.log;
    return {std::move(carriedOut)};
  }
  const bool again = launching.isRepeatable && asksForAnother(issued) && carriedOut.kind == Outcome::Answered;
  const bool isOver = issued.kind != Outcome::Answered || (!issued.answer.isNull() && isRejected(issued));
  const std::string log = issued.log + carriedOut.log;
  if (!isOver) addReached(carriedOut, issued);
  Outcome outcome = isOver && carriedOut.kind != Outcome::TimedOut ? std::move(issued) : std::move(carriedOut);
  outcome.log = log;
  return {std::move(outcome), again};
}

Outcome launch(Child& device, Child& kernel, const Launching& launching) {
  Launched launched = launchOnce(device, kernel, launching);
  // once: a kernel does not begin for ever
  if (launched.again) launched = launchOnce(device, kernel, launching);
  return std::move(launched.outcome);
}

Outcome Child::ended(Outcome::Kind kind) {
  Outcome outcome{kind, {}, {}, {}, {}, {}};
  int status = 0;
  if (kind == Outcome::TimedOut || !reap(pid_, farewellMs, status)) {
    kill();
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGXCPU) outcome.kind = Outcome::TimedOut;
    outcome.signal = signalName(WTERMSIG(status));
    const bool fault = WTERMSIG(status) == SIGSEGV || WTERMSIG(status) == SIGBUS;
    if (fault) outcome.place.assign(note_->place, strnlen(note_->place, FaultNote::capacity));
  } else {
    outcome.signal = "exit";
    outcome.exitCode = WEXITSTATUS(status);
  }
  outcome.log = takeLog();
  return outcome;
}

std::string Child::takeLog() const {
  struct stat status {};
  // most print nothing
  if (fstat(log_.get(), &status) == 0 && status.st_size == 0) return {};
  std::string text(logLimit, '\0');
  const ssize_t bytes = pread(log_.get(), text.data(), text.size(), 0);
  text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  if (ftruncate(log_.get(), 0) != 0) return text;
  return text;
}

}  // namespace npu_runner
