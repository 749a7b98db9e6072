#include "restrict.h"

#include <algorithm>
#include <cerrno>
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
#include <unistd.h>

namespace npu_confine {

namespace {

// by number, as the headers of the build machine may be older than its kernel
constexpr long sysCloseRange = 436;

void limit(int resource, rlim_t value) {
  rlimit wanted{value, value};
  if (setrlimit(resource, &wanted) != 0) fail("setrlimit");
}

// What the caller has open is no business of the tool.
void closeFrom3() {
  if (syscall(sysCloseRange, 3, ~0U, 0) == 0) return;
  // Old kernels and old container filters do not know the call.
  for (int fd = 3; fd < 65536; ++fd) close(fd);
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

// Leaves the process unless it may do without the layer.
void requireLayer(const Restrictions& restrictions, const std::string& layer) {
  const auto& allowed = restrictions.allowMissing;
  if (std::find(allowed.begin(), allowed.end(), layer) != allowed.end()) return;
  errno = 0;
  fail("this machine has no " + layer +
       ", without which no tool reads what a candidate wrote; allowWeakConfinement: ['" + layer +
       "'] (NPU_ALLOW_WEAK_CONFINEMENT=" + layer + ") does without");
}

// File systems and TCP.
void restrictFiles(const Restrictions& restrictions) {
  const long abi = syscall(sysCreateRuleset, nullptr, 0, 1);
  if (abi < 1) return requireLayer(restrictions, "landlock");
  const uint64_t all = rightsKnownTo(abi);
  const RulesetAttr attr{all, abi >= 4 ? 3ull : 0ull};
  const size_t attrBytes = abi >= 4 ? sizeof(attr) : sizeof(attr.handledFs);
  const int ruleset = static_cast<int>(syscall(sysCreateRuleset, &attr, attrBytes, 0));
  if (ruleset < 0) fail("landlock");
  if (restrictions.readable.empty()) allow(ruleset, "/", fsReading);
  for (const std::string& path : restrictions.readable) allow(ruleset, path, fsReading);
  if (!restrictions.writable.empty()) allow(ruleset, restrictions.writable, all);
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
#error "the confinement knows the system calls of x86-64 and aarch64 only"
#endif

// Refused with EPERM, as libraries try them in passing: glibc asks the name service cache over a socket. `setsid` and
// `setpgid` are here so that the whole process group can be killed.
const std::vector<long> refused = {
    SYS_socket,  SYS_socketpair, SYS_connect, SYS_bind,   SYS_listen,  SYS_accept,
    SYS_accept4, SYS_sendto,     SYS_sendmsg, SYS_setsid, SYS_setpgid,
};

// What no compiler has an honest use for: it dies of these.
const std::vector<long> deadly = {
    SYS_ptrace,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_bpf,
    SYS_perf_event_open,
    SYS_kexec_load,
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_unshare,
    SYS_setns,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_open_by_handle_at,
};

void denyCalls(const Restrictions& restrictions) {
  const uint32_t killing = SECCOMP_RET_KILL_PROCESS;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &killing) != 0) return requireLayer(restrictions, "seccomp");
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

}  // namespace

void fail(const std::string& what) {
  std::fprintf(stderr, "npu-confine: %s%s%s\n", what.c_str(), errno ? ": " : "", errno ? std::strerror(errno) : "");
  std::_Exit(confinementFailed);
}

void restrictProcess(const Restrictions& restrictions) {
  closeFrom3();
  errno = 0;
  limit(RLIMIT_CPU, restrictions.cpuSeconds);
  limit(RLIMIT_AS, restrictions.memoryMiB << 20);
  limit(RLIMIT_FSIZE, restrictions.fileMiB << 20);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_NOFILE, 256);
  if (!restrictions.writable.empty()) setenv("TMPDIR", restrictions.writable.c_str(), 1);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  restrictFiles(restrictions);
  denyCalls(restrictions);
}

}  // namespace npu_confine
