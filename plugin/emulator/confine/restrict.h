// What is taken from a process before it runs a tool (a compiler, a linker, addr2line) on what a candidate wrote.
#pragma once

#include <string>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>

namespace npu_confine {

// Exit status when the confinement itself failed, with one line on stderr.
constexpr int confinementFailed = 125;

struct Restrictions {
  rlim_t cpuSeconds = 60;
  rlim_t memoryMiB = 4096;
  // of one file that is written
  rlim_t fileMiB = 512;
  // the only folder that can be written, also its TMPDIR; empty: none
  std::string writable;
  // empty: everything is readable
  std::vector<std::string> readable;
  // layers that this machine may lack: "landlock", "seccomp"
  std::vector<std::string> allowMissing;
};

// Says what failed, with the reason in errno if there is one, and leaves.
[[noreturn]] void fail(const std::string& what);

// Restricts the calling process and all it starts, for good; its three streams are all that stays open. Leaves the process where that fails.
void restrictProcess(const Restrictions& restrictions);

// As a shell tells it: exit status, or 128 + signal.
inline int exitCodeOf(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace npu_confine
