// npu-confine: runs one tool (a compiler, a linker, addr2line) on what a candidate wrote, so that it can neither reach the
// network nor write outside its scratch folder, and is gone when its parent is gone.
//
//   npu-confine --cpu SECONDS --mem MIB --write DIR [--read PATH]... -- command arguments...
//
// Without --read everything is readable. Exit status: that of the command; 128 + signal when it was killed; 125 when the
// confinement itself failed, with one line on stderr.
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr int exitConfinementFailed = 125;

struct Options {
  rlim_t cpuSeconds = 60;
  rlim_t memoryMiB = 4096;
  std::string writable;
  std::vector<std::string> readable;
  char** command = nullptr;
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "npu-confine: %s%s%s\n", what.c_str(), errno ? ": " : "", errno ? std::strerror(errno) : "");
  std::_Exit(exitConfinementFailed);
}

Options parse(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i + 1 < argc && std::strcmp(argv[i], "--") != 0; i += 2) {
    const std::string name = argv[i];
    if (name == "--cpu") options.cpuSeconds = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--mem") options.memoryMiB = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--write") options.writable = argv[i + 1];
    else if (name == "--read") options.readable.push_back(argv[i + 1]);
    else fail("unknown option " + name);
  }
  if (i + 1 >= argc || std::strcmp(argv[i], "--") != 0) fail("no command after --");
  options.command = argv + i + 1;
  return options;
}

void limit(int resource, rlim_t value) {
  rlimit wanted{value, value};
  if (setrlimit(resource, &wanted) != 0) fail("setrlimit");
}

// Landlock, spelled out because the headers of the build machine may be older than its kernel.
struct RulesetAttr {
  uint64_t handledFs;
  uint64_t handledNet;
};

struct __attribute__((packed)) PathBeneath {
  uint64_t allowed;
  int32_t parent;
};

constexpr long sysCreateRuleset = 444, sysAddRule = 445, sysRestrictSelf = 446;
constexpr uint64_t fsExecute = 1 << 0, fsWriteFile = 1 << 1, fsReadFile = 1 << 2, fsReadDir = 1 << 3, fsRefer = 1 << 13,
                   fsTruncate = 1 << 14;
constexpr uint64_t fsReading = fsExecute | fsReadFile | fsReadDir;
// rights that a rule on a plain file may carry
constexpr uint64_t fsOfFiles = fsExecute | fsWriteFile | fsReadFile | fsTruncate;

uint64_t rightsKnownTo(long abi) {
  const uint64_t first = (1ull << 13) - 1;
  return first | (abi >= 2 ? fsRefer : 0) | (abi >= 3 ? fsTruncate : 0);
}

// A path that does not exist needs no rule.
void allow(int ruleset, const std::string& path, uint64_t rights) {
  const int fd = open(path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return;
  struct stat facts {};
  if (fstat(fd, &facts) == 0 && !S_ISDIR(facts.st_mode)) rights &= fsOfFiles;
  const PathBeneath rule{rights, fd};
  if (syscall(sysAddRule, ruleset, 1, &rule, 0) != 0) fail("landlock rule for " + path);
  close(fd);
}

// File systems and TCP, where the kernel has Landlock; rlimits and seccomp hold in any case.
void restrictFiles(const Options& options) {
  const long abi = syscall(sysCreateRuleset, nullptr, 0, 1);
  if (abi < 1) return;
  const uint64_t all = rightsKnownTo(abi);
  const RulesetAttr attr{all, abi >= 4 ? 3ull : 0ull};
  const size_t attrBytes = abi >= 4 ? sizeof(attr) : sizeof(attr.handledFs);
  const int ruleset = static_cast<int>(syscall(sysCreateRuleset, &attr, attrBytes, 0));
  if (ruleset < 0) fail("landlock");
  if (options.readable.empty()) allow(ruleset, "/", fsReading);
  for (const std::string& path : options.readable) allow(ruleset, path, fsReading);
  if (!options.writable.empty()) allow(ruleset, options.writable, all);
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"}) {
    allow(ruleset, device, (fsReadFile | fsWriteFile | fsTruncate) & all);
  }
  if (syscall(sysRestrictSelf, ruleset, 0) != 0) fail("landlock");
  close(ruleset);
}

#if defined(__x86_64__)
constexpr uint32_t nativeArch = AUDIT_ARCH_X86_64;
constexpr uint32_t foreignCallBit = 0x40000000;  // the x32 numbering of x86-64
#elif defined(__aarch64__)
constexpr uint32_t nativeArch = AUDIT_ARCH_AARCH64;
constexpr uint32_t foreignCallBit = 0;
#else
#error "npu-confine knows the system calls of x86-64 and aarch64 only"
#endif

// Refused with EPERM, as libraries try them in passing: glibc asks the name service cache over a socket. `setsid` and
// `setpgid` are here so that the whole process group can be killed.
const std::vector<long> refused = {
    SYS_socket, SYS_socketpair, SYS_connect, SYS_bind,   SYS_listen, SYS_accept,
    SYS_accept4, SYS_sendto,    SYS_sendmsg, SYS_setsid, SYS_setpgid,
};

// What no compiler has an honest use for: it dies of these.
const std::vector<long> deadly = {
    SYS_ptrace,        SYS_process_vm_readv, SYS_process_vm_writev, SYS_mount,          SYS_umount2,
    SYS_pivot_root,    SYS_chroot,           SYS_bpf,               SYS_perf_event_open, SYS_kexec_load,
    SYS_init_module,   SYS_finit_module,     SYS_delete_module,     SYS_reboot,         SYS_swapon,
    SYS_swapoff,       SYS_unshare,          SYS_setns,             SYS_keyctl,         SYS_add_key,
    SYS_request_key,   SYS_userfaultfd,      SYS_io_uring_setup,    SYS_io_uring_enter, SYS_io_uring_register,
    SYS_open_by_handle_at,
};

void denyCalls() {
  std::vector<sock_filter> program;
  const auto add = [&](uint16_t code, uint32_t k, uint8_t jt, uint8_t jf) { program.push_back({code, jt, jf, k}); };
  constexpr uint16_t load = BPF_LD | BPF_W | BPF_ABS, equal = BPF_JMP | BPF_JEQ | BPF_K, answer = BPF_RET | BPF_K;
  add(load, offsetof(seccomp_data, arch), 0, 0);
  add(equal, nativeArch, 1, 0);
  add(answer, SECCOMP_RET_KILL_PROCESS, 0, 0);
  add(load, offsetof(seccomp_data, nr), 0, 0);
  if (foreignCallBit) {
    add(BPF_JMP | BPF_JSET | BPF_K, foreignCallBit, 0, 1);
    add(answer, SECCOMP_RET_KILL_PROCESS, 0, 0);
  }
  const auto reject = [&](const std::vector<long>& calls, uint32_t how) {
    for (const long call : calls) {
      add(equal, static_cast<uint32_t>(call), 0, 1);
      add(answer, how, 0, 0);
    }
  };
  reject(refused, SECCOMP_RET_ERRNO | EPERM);
  reject(deadly, SECCOMP_RET_KILL_PROCESS);
  add(answer, SECCOMP_RET_ALLOW, 0, 0);
  sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) fail("seccomp");
}

[[noreturn]] void runConfined(const Options& options) {
  limit(RLIMIT_CPU, options.cpuSeconds);
  limit(RLIMIT_AS, options.memoryMiB << 20);
  limit(RLIMIT_FSIZE, static_cast<rlim_t>(512) << 20);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 256);
  if (!options.writable.empty()) setenv("TMPDIR", options.writable.c_str(), 1);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  restrictFiles(options);
  denyCalls();
  execvp(options.command[0], options.command);
  fail(std::string("cannot run ") + options.command[0]);
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
  if (getppid() != parent) return exitConfinementFailed;
  const pid_t tool = fork();
  if (tool < 0) fail("fork");
  if (tool == 0) {
    signal(SIGTERM, SIG_DFL);
    runConfined(options);
  }
  int status = 0;
  while (waitpid(tool, &status, 0) < 0) {
    if (errno != EINTR) fail("waitpid");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
