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
constexpr auto startLimit = std::chrono::seconds(20);
// How long a child that closed its socket may take to be gone.
constexpr int farewellMs = 200;
// Processor time that a child gets to answer once it was told that its time is up, and how often it is told.
constexpr auto lastWords = std::chrono::seconds(1);
constexpr auto tellEvery = std::chrono::milliseconds(5);
const std::string readyMessage = "ready";

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
  sendMessage(socketFd, readyMessage, {}, Deadline::max());
  serve(key.libraries, key.host);
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

ChildKey makeKey(bool host, std::vector<std::string> libraries) {
  ChildKey key{host, std::move(libraries), {}};
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

Child::Child(const ChildKey& key, int workspaceTemplate, size_t memoryBytes, MissingLayers allowed) : key_(key) {
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) throw Infrastructure{errorText("socketpair")};
  socket_ = Descriptor(pair[0]);
  Descriptor theirs(pair[1]);
  log_ = Descriptor(memfd_create("npu-log", MFD_CLOEXEC));
  if (!log_ || fcntl(log_.get(), F_SETFL, O_APPEND) != 0) throw Infrastructure{errorText("log")};

  void* shared = mmap(nullptr, sizeof(FaultNote), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw Infrastructure{errorText("mmap")};
  note_ = static_cast<FaultNote*>(shared);

  Confinement confinement{theirs.get(), log_.get(), workspaceTemplate, memoryBytes, {}, allowed};
  for (const std::string& path : key.libraries)
    if (!path.empty()) confinement.readable.push_back(path);
  pid_ = fork();
  if (pid_ < 0) throw Infrastructure{errorText("fork")};
  if (pid_ == 0) runChild(key_, confinement, note_);
  // the end of a child that is held by nobody else is noticed at once
  close(theirs.release());

  std::string message;
  std::vector<Descriptor> none;
  if (receiveMessage(socket_.get(), message, none, replyLimit, Clock::now() + startLimit) == Transfer::Done &&
      message == readyMessage)
    return;
  const Outcome outcome = ended(Outcome::Died);
  throw Infrastructure{"the child could not lock itself down: " + (outcome.log.empty() ? outcome.signal : outcome.log)};
}

Child::~Child() {
  if (pid_ > 0) ended(Outcome::TimedOut);
  if (note_ != nullptr) munmap(note_, sizeof(FaultNote));
}

void Child::limitResources(size_t memoryBytes, const TimeLimit& limit) const {
  const auto setSoft = [this](__rlimit_resource resource, rlim_t value) {
    rlimit limits{};
    if (prlimit(pid_, resource, nullptr, &limits) != 0) return;
    limits.rlim_cur = std::min(value, limits.rlim_max);
    prlimit(pid_, resource, &limits, nullptr);
  };
  setSoft(RLIMIT_AS, memoryBytes);
  // A backstop for a supervisor that is itself stopped.
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(processorTime() + limit.processor).count();
  setSoft(RLIMIT_CPU, static_cast<rlim_t>(seconds) + 5);
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

// Waits until the child answers or is gone; what it does with the signal is its own affair. It has a single thread: until its
// processor time can be up it need not be looked after.
bool Child::answersInTime(const TimeLimit& limit) const {
  const auto begin = Clock::now();
  const auto ranBefore = processorTime(), queuedBefore = queuedTime();
  pollfd entry{socket_.get(), POLLIN, 0};
  while (true) {
    const std::chrono::nanoseconds left = limit.processor - (processorTime() - ranBefore);
    const std::chrono::nanoseconds leftByClock = limit.clock - (Clock::now() - begin - (queuedTime() - queuedBefore));
    if (left < -lastWords || leftByClock <= left.zero()) return false;
    if (left <= left.zero()) kill(pid_, SIGXCPU);
    const auto next = std::min(std::max<std::chrono::nanoseconds>(left, tellEvery), leftByClock);
    if (poll(&entry, 1, millisecondsUntil(Clock::now() + next)) > 0) return true;
  }
}

Outcome Child::ask(const std::string& request, const std::vector<int>& files, size_t memoryBytes,
                   const TimeLimit& limit) {
  limitResources(memoryBytes, limit);
  const std::string token = makeToken();
  Transfer transfer = sendMessage(socket_.get(), token + request, files, Clock::now() + limit.clock);
  std::string message;
  std::vector<Descriptor> none;
  if (transfer == Transfer::Done && !answersInTime(limit)) return ended(Outcome::TimedOut);
  if (transfer == Transfer::Done)
    transfer = receiveMessage(socket_.get(), message, none, replyLimit, Clock::now() + limit.clock);
  if (transfer == Transfer::TimedOut) return ended(Outcome::TimedOut);
  if (transfer == Transfer::Closed) return ended(Outcome::Died);

  Outcome outcome{Outcome::Answered, {}, {}, {}, {}, {}};
  try {
    if (message.compare(0, tokenBytes, token) != 0) throw JsonError{"wrong token"};
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

Outcome Child::ended(Outcome::Kind kind) {
  Outcome outcome{kind, {}, {}, {}, {}, {}};
  int status = 0;
  if (kind == Outcome::TimedOut || !reap(pid_, farewellMs, status)) {
    // pid_ is our own unreaped child: the number cannot have been given to anyone else.
    if (pid_ > 0) kill(pid_, SIGKILL);
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
  std::string text(logLimit, '\0');
  const ssize_t bytes = pread(log_.get(), text.data(), text.size(), 0);
  text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
  if (ftruncate(log_.get(), 0) != 0) return text;
  return text;
}

}  // namespace npu_runner
