#include "lockdown.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "device_memory.h"
#include "landlock.h"
#include "seccomp.h"

namespace npu_runner {

namespace {

// What the dynamic loader may have to read besides the candidate's libraries.
const char* const systemLibraries[] = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"};

bool limit(__rlimit_resource resource, rlim_t value) {
  const rlimit both{value, value};
  return setrlimit(resource, &both) == 0;
}

// A file that all children have, opened anew: the position in one that is only copied would be a place for each to leave the
// next one something.
int openAgain(int file) {
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  return open(path.c_str(), O_RDONLY);
}

bool setDescriptors(const Confinement& confinement) {
  // Away from the numbers they are to get, so that none is overwritten while it is still needed.
  const int socket = fcntl(confinement.socket, F_DUPFD, 16);
  const int log = fcntl(confinement.log, F_DUPFD, 16);
  const int null = open("/dev/null", O_RDONLY);
  const int memory = fcntl(confinement.memoryTemplate < 0 ? null : openAgain(confinement.memoryTemplate), F_DUPFD, 16);
  if (socket < 0 || log < 0 || memory < 0 || null < 0) return false;
  if (dup2(null, 0) < 0 || dup2(log, 1) < 0 || dup2(log, 2) < 0) return false;
  if (dup2(socket, socketFd) < 0 || dup2(memory, npu_emu::templateFd) < 0) return false;
  if (syscall(SYS_close_range, npu_emu::templateFd + 1, ~0U, 0) == 0) return true;
  // Old kernels and old container filters do not know the call.
  for (int fd = npu_emu::templateFd + 1; fd < 65536; ++fd) close(fd);
  return true;
}

// What a layer that is missing costs, and who may do without it.
std::string missing(const char* layer) {
  return std::string("this machine has no ") + layer + ", without which no candidate runs; allowWeakConfinement: ['" +
         layer + "'] (NPU_ALLOW_WEAK_CONFINEMENT=" + layer + ") does without";
}

// Whether the second filter is to be expected: the first one forbids to ask.
bool filtered = false;

bool dropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return syscall(SYS_capset, &header, none) == 0;
}

}  // namespace

void leaveNetwork() {
  if (unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWIPC) != 0) unshare(CLONE_NEWNET | CLONE_NEWIPC);
}

void dropBoundingSet() {
  for (int capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) prctl(PR_CAPBSET_DROP, capability);
}

std::string lockDown(const Confinement& confinement) {
  const auto failed = [](const char* step) { return std::string(step) + ": " + std::strerror(errno); };
  const pid_t parent = getppid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failed("parent death signal");
  // The parent may have died before it could be watched.
  if (getppid() != parent) return failed("parent");
  if (!setDescriptors(confinement)) return failed("descriptors");
  // Without it, writing past the log limit would be fatal; a long log is not a crime.
  signal(SIGXFSZ, SIG_IGN);

  if (!hasSeccomp()) {
    leaveNetwork();
    // a new user namespace has all of them again
    dropBoundingSet();
  }
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("no_new_privs");
  std::vector<std::string> readable = confinement.readable;
  for (const char* path : systemLibraries) readable.emplace_back(path);
  const bool landlock = hasLandlock();
  if (!landlock && !confinement.allowed.landlock) return missing("landlock");
  if (landlock && !confineFiles(readable)) return failed("landlock");
  if (!dropCapabilities()) return failed("capabilities");

  if (!limit(RLIMIT_CORE, 0) || !limit(RLIMIT_NOFILE, 64) || !limit(RLIMIT_NPROC, 0) ||
      !limit(RLIMIT_FSIZE, logLimit) || !limit(RLIMIT_MEMLOCK, 0))
    return failed("resource limits");
  // The supervisor moves the soft limits with every request. A signal can be ignored, the end of all time cannot.
  if (confinement.processor && !limit(RLIMIT_CPU, static_cast<rlim_t>(confinement.processor->count())))
    return failed("processor limit");
  rlimit memory{};
  getrlimit(RLIMIT_AS, &memory);
  memory.rlim_cur = std::min<rlim_t>(confinement.memory, memory.rlim_max);
  if (setrlimit(RLIMIT_AS, &memory) != 0) return failed("memory limit");
  filtered = hasSeccomp();
  if (!filtered && !confinement.allowed.seccomp) return missing("seccomp");
  if (filtered && !allowLoading()) return failed("system call filter");
  return {};
}

bool lockDownForRunning() { return !filtered || forbidLoading(); }

bool hasLandlock() { return landlockVersion() > 0; }

bool hasSeccomp() {
  const uint32_t action = SECCOMP_RET_KILL_PROCESS;
  return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

}  // namespace npu_runner
