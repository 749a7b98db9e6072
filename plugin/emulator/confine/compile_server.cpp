// A tool that is started once. Preloaded into clang or a linker, it takes the place of its main: libraries are loaded, relocated
// and initialised once, which is a quarter of what a small kernel costs. For each job it forks a child, which gives up
// everything and then calls the real main. The server itself has seen nothing of a candidate but file names.
//
// One job at a time, a line of JSON each way; the first line says which program this is. It ends with its standard input,
// and a running job with it.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../runner/json.h"
#include "restrict.h"

namespace {

using npu_confine::fail;
using npu_runner::Json;
using npu_runner::JsonArray;
using npu_runner::JsonObject;
using Clock = std::chrono::steady_clock;
using Main = int (*)(int, char**, char**);

Main toolMain = nullptr;

// Without SIGCHLD, which is let in only where the server waits: an end cannot slip through before it.
sigset_t unblocked;

struct Job {
  std::vector<std::string> argv;
  std::string folder;
  npu_confine::Restrictions restrictions;
  std::chrono::milliseconds timeLimit;
  // bytes of each stream that are kept
  size_t outputBytes;
};

std::vector<std::string> strings(const Json& list, const char* what) {
  std::vector<std::string> all;
  for (const Json& item : list.array(what)) all.push_back(item.string(what));
  return all;
}

Job readJob(const Json& request) {
  Job job;
  job.argv = strings(request.at("argv"), "argv");
  if (job.argv.empty()) throw npu_runner::JsonError{"argv is empty"};
  job.folder = request.at("folder").string("folder");
  job.restrictions.cpuSeconds = request.at("cpuSeconds").unsignedInteger("cpuSeconds");
  job.restrictions.memoryMiB = request.at("memoryMiB").unsignedInteger("memoryMiB");
  job.restrictions.fileMiB = request.at("fileMiB").unsignedInteger("fileMiB");
  const Json& writable = request.at("writable");
  if (!writable.isNull()) job.restrictions.writable = writable.string("writable");
  job.restrictions.readable = strings(request.at("readable"), "readable");
  job.restrictions.allowMissing = strings(request.at("allowMissing"), "allowMissing");
  job.timeLimit = std::chrono::milliseconds(request.at("timeoutMs").unsignedInteger("timeoutMs"));
  job.outputBytes = request.at("outputBytes").unsignedInteger("outputBytes");
  return job;
}

// One stream of the job: kept up to the limit, the rest dropped, so that the writer never blocks.
struct Stream {
  int fd = -1;
  std::string text;
  bool cut = false;

  void read(size_t limit) {
    char bytes[64 * 1024];
    const ssize_t got = ::read(fd, bytes, sizeof bytes);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got <= 0) {
      close(fd);
      fd = -1;
      return;
    }
    const size_t room = limit - text.size(), size = static_cast<size_t>(got);
    text.append(bytes, std::min(room, size));
    cut |= size > room;
  }
};

[[noreturn]] void runJob(const Job& job, pid_t server, int out, int err) {
  const int null = open("/dev/null", O_RDONLY);
  if (dup2(err, 2) < 0 || dup2(out, 1) < 0 || null < 0 || dup2(null, 0) < 0) std::_Exit(npu_confine::confinementFailed);
  if (setpgid(0, 0) != 0) fail("setpgid");
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail("parent death signal");
  if (getppid() != server) fail("the server is gone");
  if (chdir(job.folder.c_str()) != 0) fail(job.folder);
  npu_confine::restrictProcess(job.restrictions);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGCHLD, SIG_DFL);
  sigprocmask(SIG_SETMASK, &unblocked, nullptr);
  std::vector<char*> argv;
  for (const std::string& word : job.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::exit(toolMain(static_cast<int>(argv.size()) - 1, argv.data(), environ));
}

struct Outcome {
  int exitCode = 0;
  bool timedOut = false;
  Stream out, err;
};

// Until the job has ended and its streams are closed. All it started is gone then.
void attend(const Job& job, pid_t child, Outcome& outcome) {
  const Clock::time_point deadline = Clock::now() + job.timeLimit;
  for (bool running = true; running || outcome.out.fd >= 0 || outcome.err.fd >= 0;) {
    // a negative descriptor is passed over
    pollfd watched[] = {{STDIN_FILENO, POLLRDHUP, 0}, {outcome.out.fd, POLLIN, 0}, {outcome.err.fd, POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Clock::now()).count();
    const timespec wait{left > 0 ? left / 1'000'000'000 : 0, left > 0 ? left % 1'000'000'000 : 0};
    const int ready = ppoll(watched, 3, outcome.timedOut ? nullptr : &wait, &unblocked);
    if (ready > 0 && watched[0].revents != 0) {
      kill(-child, SIGKILL);
      std::_Exit(0);
    }
    if (ready == 0) {
      outcome.timedOut = true;
      kill(-child, SIGKILL);
    }
    if (ready > 0 && watched[1].revents != 0) outcome.out.read(job.outputBytes);
    if (ready > 0 && watched[2].revents != 0) outcome.err.read(job.outputBytes);
    siginfo_t ended{};
    // what is left of its group goes before its number can be another's
    if (!running || waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) != 0) continue;
    if (ended.si_pid != child) continue;
    kill(-child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    outcome.exitCode = npu_confine::exitCodeOf(status);
    running = false;
  }
}

Outcome run(const Job& job) {
  int out[2], err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) fail("pipe");
  const pid_t server = getpid();
  const pid_t child = fork();
  if (child < 0) fail("fork");
  if (child == 0) runJob(job, server, out[1], err[1]);
  // either side may be first
  setpgid(child, child);
  close(out[1]);
  close(err[1]);
  Outcome outcome;
  outcome.out.fd = out[0];
  outcome.err.fd = err[0];
  attend(job, child, outcome);
  return outcome;
}

void say(const Json& line) {
  const std::string text = line.dump() + "\n";
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) std::_Exit(0);
}

std::string ownProgram() {
  char path[4096];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return std::string(path, size > 0 ? static_cast<size_t>(size) : 0);
}

// What a job starts is none of ours. By hand: a program may have its own functions for its environment.
void forgetOwnVariables() {
  const auto isOurs = [](const char* entry) {
    for (const char* name : {"LD_PRELOAD=", "LD_BIND_NOW=", "GLIBC_TUNABLES="})
      if (std::strncmp(entry, name, std::strlen(name)) == 0) return true;
    return false;
  };
  char** kept = environ;
  for (char** entry = environ; *entry != nullptr; ++entry)
    if (!isOurs(*entry)) *kept++ = *entry;
  *kept = nullptr;
}

int serve(int, char**, char**) {
  forgetOwnVariables();
  signal(SIGPIPE, SIG_IGN);
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child, &unblocked);
  sigdelset(&unblocked, SIGCHLD);
  // without a handler it would not end the wait
  signal(SIGCHLD, [](int) {});
  say(JsonObject{{"program", ownProgram()}});
  char* line = nullptr;
  size_t capacity = 0;
  ssize_t length;
  while ((length = getline(&line, &capacity, stdin)) > 0) {
    try {
      const Outcome done = run(readJob(Json::parse(std::string(line, static_cast<size_t>(length)))));
      say(JsonObject{{"exitCode", done.exitCode},
                     {"timedOut", done.timedOut},
                     {"stdout", done.out.text},
                     {"stdoutCut", done.out.cut},
                     {"stderr", done.err.text},
                     {"stderrCut", done.err.cut}});
    } catch (const npu_runner::JsonError& error) {
      fail("request: " + error.message);
    }
  }
  // the destructors of a tool that never ran are of no use
  std::_Exit(0);
}

}  // namespace

// As the C library declares it for x86-64 and aarch64. It initialises the program and then calls what it is given.
extern "C" __attribute__((visibility("default"))) int __libc_start_main(Main main, int argc, char** argv,
                                                                        void (*init)(), void (*fini)(),
                                                                        void (*loaderFini)(), void* stackEnd) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  toolMain = main;
  const Start start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(serve, argc, argv, init, fini, loaderFini, stackEnd);
}
