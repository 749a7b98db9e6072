// npu-confine: runs one tool (a compiler, a linker, addr2line) on what a candidate wrote, so that it can neither reach the
// network nor write outside its scratch folder, and is gone when its parent is gone.
//
//   npu-confine --cpu SECONDS --mem MIB --file MIB --write DIR [--read PATH]... [--allow-missing LAYER]... -- command arguments...
//
// Without --read everything is readable. Exit status: that of the command; 128 + signal when it was killed; 125 when the
// confinement itself failed, with one line on stderr.
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "restrict.h"

namespace {

using npu_confine::fail;

struct Options {
  npu_confine::Restrictions restrictions;
  char** command = nullptr;
};

Options parse(int argc, char** argv) {
  Options options;
  npu_confine::Restrictions& to = options.restrictions;
  int i = 1;
  for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string name = argv[i];
    if (name == "--cpu") to.cpuSeconds = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--mem") to.memoryMiB = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--file") to.fileMiB = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--write") to.writable = argv[i + 1];
    else if (name == "--read") to.readable.push_back(argv[i + 1]);
    else if (name == "--allow-missing") to.allowMissing.emplace_back(argv[i + 1]);
    else fail("unknown option " + name);
  }
  if (i + 1 >= argc || std::strcmp(argv[i], "--") != 0) fail("no command after --");
  options.command = argv + i + 1;
  return options;
}

extern "C" void killGroup(int) { kill(0, SIGKILL); }

}  // namespace

int main(int argc, char** argv) {
  errno = 0;
  const Options options = parse(argc, argv);
  // This process stays as the group's leader: when its own parent dies, the tool and all it started die with it.
  const pid_t parent = getppid();
  if (getpgrp() != getpid() && setpgid(0, 0) != 0) fail("setpgid");
  signal(SIGTERM, killGroup);
  if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) fail("parent death signal");
  if (getppid() != parent) return npu_confine::confinementFailed;
  const pid_t tool = fork();
  if (tool < 0) fail("fork");
  if (tool == 0) {
    signal(SIGTERM, SIG_DFL);
    npu_confine::restrictProcess(options.restrictions);
    execvp(options.command[0], options.command);
    fail(std::string("cannot run ") + options.command[0]);
  }
  int status = 0;
  while (waitpid(tool, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  return npu_confine::exitCodeOf(status);
}
