// Launches one operator on a device: asked in lines of JSON, as `npu-runner` of the emulator is. This process calls nothing of the
// runtime. It keeps the lock of the device, and has a child do the work, which it replaces when that crashes, hangs or has met a
// fault.

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../emulator/runner/json.h"
#include "acl_call.h"
#include "device_lock.h"
#include "worker.h"

namespace npu_ascend {

using Clock = std::chrono::steady_clock;
using npu_runner::Json;
using npu_runner::JsonObject;

bool readLine(int file, std::string& buffered, std::string& line) {
  for (;;) {
    const size_t end = buffered.find('\n');
    if (end != std::string::npos) {
      line = buffered.substr(0, end);
      buffered.erase(0, end + 1);
      return true;
    }
    char chunk[65536];
    const ssize_t got = read(file, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffered.append(chunk, static_cast<size_t>(got));
  }
}

void writeLine(int file, const std::string& line) {
  const std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    const ssize_t put = write(file, text.data() + done, text.size() - done);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;
    done += static_cast<size_t>(put);
  }
}

namespace {

constexpr int kHostLimitMs = 120'000;
constexpr int kGraceMs = 5'000, kLeastGraceMs = 1'000;
constexpr size_t kKeptLog = 16'384;
// what a child has printed is memory of the machine
constexpr off_t kMostLog = off_t{64} << 20;

// How long a phase may take, where a launch may take `launchMs`.
int limitOf(Phase phase, int launchMs) {
  if (phase == Phase::Tiling || phase == Phase::Launch) return launchMs;
  // the runtime ends the wait itself, and tells so
  return phase == Phase::Wait ? launchMs + std::clamp(launchMs, kLeastGraceMs, kGraceMs) : kHostLimitMs;
}

// Older libraries have no function for it.
std::string nameOfSignal(int number) {
  constexpr std::pair<int, const char*> names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},
                                                   {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"},
                                                   {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}};
  for (const auto& [each, name] : names)
    if (each == number) return name;
  return "signal " + std::to_string(number);
}

class Supervisor {
 public:
  Supervisor(WorkerOptions options, const std::string& locks)
      : options_(std::move(options)), lock_(locks, options_.device) {
    void* shared = mmap(nullptr, sizeof(std::atomic<Phase>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw Unable{"no memory"};
    phase_ = new (shared) std::atomic<Phase>(Phase::Idle);
    log_ = memfd_create("log", MFD_CLOEXEC);
    if (log_ < 0) throw Unable{"no memory for what is printed"};
  }

  Json answer(const std::string& line) {
    const Json request = Json::parse(line);
    const std::string& op = request.at("op").string("op");
    if (op == "unlock") {
      lock_.letGo();
      return JsonObject{{"ok", true}};
    }
    const Share share = shareOf(request);
    if (!lock_.take(share, static_cast<int>(request.at("lockTimeoutMs").integer("lockTimeoutMs"))))
      return JsonObject{{"ok", false}, {"kind", "busy"}, {"message", "others keep the device"}, {"phase", "start"}};
    if (op == "lock") return JsonObject{{"ok", true}};
    const Json* limit = request.find("timeoutMs");
    Json answer = withLog(ask(line, limit == nullptr ? kHostLimitMs : static_cast<int>(limit->integer("timeoutMs"))));
    if (share != Share::None) lock_.letGo();
    return answer;
  }

 private:
  static Share shareOf(const Json& request) {
    const std::string& share = request.at("share").string("share");
    return share == "many" ? Share::Many : share == "one" ? Share::One : Share::None;
  }

  void start() {
    int requests[2], answers[2];
    if (pipe(requests) != 0 || pipe(answers) != 0) throw Unable{"no pipe"};
    *phase_ = Phase::Start;
    child_ = fork();
    if (child_ < 0) throw Unable{"cannot start a process"};
    if (child_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      close(requests[1]);
      close(answers[0]);
      lock_.close();
      // what candidates and the runtime print is no answer
      dup2(log_, 1);
      dup2(log_, 2);
      setvbuf(stdout, nullptr, _IONBF, 0);
      serve(requests[0], answers[1], options_, *phase_);
    }
    close(requests[0]);
    close(answers[1]);
    requests_ = requests[1];
    answers_ = answers[0];
    buffered_.clear();
    options_.resets = false;
  }

  Json ask(const std::string& line, int launchMs) {
    // what nobody has asked for is no answer: code of a candidate has the descriptors of its process
    if (child_ >= 0 && (!buffered_.empty() || isReadable(0))) died(SIGKILL);
    if (child_ < 0) start();
    writeLine(requests_, line);
    Phase phase = Phase::Idle;
    auto since = Clock::now();
    for (;;) {
      if (buffered_.find('\n') != std::string::npos) break;
      const Phase now = *phase_;
      if (now != phase) {
        phase = now;
        since = Clock::now();
      }
      if (Clock::now() - since > std::chrono::milliseconds(limitOf(phase, launchMs))) {
        kill(child_, SIGKILL);
        const Phase at = *phase_;
        end();
        options_.resets = true;
        return JsonObject{{"ok", false}, {"kind", "timeout"}, {"message", ""}, {"phase", nameOf(at)}};
      }
      if (lseek(log_, 0, SEEK_END) > kMostLog) return died(SIGKILL);
      if (!isReadable(50)) continue;
      char chunk[65536];
      const ssize_t got = read(answers_, chunk, sizeof chunk);
      if (got <= 0) return died();
      buffered_.append(chunk, static_cast<size_t>(got));
    }
    std::string answer;
    readLine(answers_, buffered_, answer);
    try {
      Json parsed = Json::parse(answer);
      // after a failure it resets the device and ends
      if (!parsed.at("ok").boolean("ok")) end();
      return parsed;
    } catch (const npu_runner::JsonError&) {
      return died(SIGKILL);
    }
  }

  bool isReadable(int milliseconds) const {
    pollfd entry{answers_, POLLIN, 0};
    return poll(&entry, 1, milliseconds) > 0;
  }

  // The child has ended without an answer, or is ended by a signal.
  Json died(int signal = 0) {
    const Phase at = *phase_;
    if (signal != 0) kill(child_, signal);
    const int status = end();
    options_.resets = true;
    const std::string how = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit";
    JsonObject answer{{"ok", false}, {"kind", "died"}, {"message", how}, {"phase", nameOf(at)}};
    if (WIFSIGNALED(status)) answer.emplace_back("signal", nameOfSignal(WTERMSIG(status)));
    else answer.emplace_back("exitCode", WEXITSTATUS(status));
    return answer;
  }

  // Waits for the end of the child, which it is given some time for. Returns its status.
  int end() {
    int status = 0;
    close(requests_);
    for (int waited = 0; waitpid(child_, &status, WNOHANG) == 0; waited += 10) {
      if (waited > kGraceMs) {
        kill(child_, SIGKILL);
        options_.resets = true;
      }
      usleep(10'000);
    }
    close(answers_);
    child_ = -1;
    return status;
  }

  Json withLog(const Json& answer) {
    const off_t end = lseek(log_, 0, SEEK_END);
    const off_t begin = std::max<off_t>(0, end - static_cast<off_t>(kKeptLog));
    std::string text(static_cast<size_t>(end - begin), '\0');
    const ssize_t got = pread(log_, text.data(), text.size(), begin);
    text.resize(got < 0 ? 0 : static_cast<size_t>(got));
    if (ftruncate(log_, 0) == 0) lseek(log_, 0, SEEK_SET);
    JsonObject members = answer.object("answer");
    members.emplace_back("log", text);
    return members;
  }

  WorkerOptions options_;
  DeviceLock lock_;
  std::atomic<Phase>* phase_;
  int log_ = -1;
  pid_t child_ = -1;
  int requests_ = -1, answers_ = -1;
  std::string buffered_;
};

// `a:b` are two of them.
std::vector<std::string> librariesOf(const std::string& list) {
  std::vector<std::string> libraries;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) libraries.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return libraries;
}

// What a profiler watches: all in this process, which lets the runtime go at its end. Whoever asks has the lock of the device.
int runRequests(WorkerOptions options, const char* path) {
  const int requests = open(path, O_RDONLY | O_CLOEXEC);
  if (requests < 0) throw Unable{std::string("cannot open ") + path};
  std::atomic<Phase> phase(Phase::Idle);
  options.finalizes = true;
  serve(requests, 1, options, phase);
}

int run(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    std::fprintf(stderr, "usage: ascend-runner <libraries> <device> <folder of locks> [file of requests]\n");
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  WorkerOptions options;
  options.libraries = librariesOf(argv[1]);
  options.device = std::atoi(argv[2]);
  try {
    if (argc == 5) return runRequests(options, argv[4]);
    Supervisor supervisor(options, argv[3]);
    std::string buffered, line;
    while (readLine(0, buffered, line)) writeLine(1, supervisor.answer(line).dump());
  } catch (const Unable& failure) {
    std::fprintf(stderr, "%s\n", failure.message.c_str());
    return 1;
  } catch (const npu_runner::JsonError& failure) {
    std::fprintf(stderr, "%s\n", failure.message.c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace npu_ascend

int main(int argc, char** argv) { return npu_ascend::run(argc, argv); }
