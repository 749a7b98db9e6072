#include "seccomp.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace npu_runner {

namespace {

#if defined(__x86_64__)
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
#error "the runner knows the system calls of x86-64 and aarch64 only"
#endif

constexpr uint32_t plainCalls[] = {
    // memory
    SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise,
    // what it was given: log, socket, descriptors that came with a request
    SYS_read, SYS_write, SYS_readv, SYS_writev, SYS_pread64, SYS_lseek, SYS_close, SYS_fstat, SYS_newfstatat,
    SYS_recvmsg, SYS_sendmsg, SYS_ppoll,
#if defined(__x86_64__)
    SYS_poll,
#endif
    // time
    SYS_clock_gettime, SYS_gettimeofday, SYS_clock_nanosleep, SYS_nanosleep, SYS_sched_yield,
#if defined(__x86_64__)
    SYS_time,
#endif
    // the machine, as the C library asks for it (sorting, counting processors)
    SYS_sysinfo, SYS_sched_getaffinity, SYS_uname,
    // itself
    SYS_getpid, SYS_gettid, SYS_getrandom, SYS_futex, SYS_exit, SYS_exit_group, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall};

// What only the dynamic loader needs, besides opening and mapping.
constexpr uint32_t loaderCalls[] = {SYS_readlinkat, SYS_getcwd,
#if defined(__x86_64__)
                                    SYS_readlink, SYS_access,
#endif
                                    SYS_faccessat};

constexpr uint32_t openForWriting = O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    add(BPF_JMP | BPF_JEQ | BPF_K, architecture, 1, 0);
    kill();
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // The x32 calls are the same calls under other numbers.
    add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    kill();
#endif
  }

  // All of them jump to one end: the filter is translated for each child, which takes as long as it is.
  template <size_t count>
  void allow(const uint32_t (&calls)[count]) {
    static_assert(count <= 256, "a jump skips 255 instructions at most");
    for (size_t i = 0; i < count; ++i)
      add(BPF_JMP | BPF_JEQ | BPF_K, calls[i], static_cast<uint8_t>(count - 1 - i), i + 1 == count ? 1 : 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
  }

  void deny(uint32_t call) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
    kill();
  }

  // Allows the call while none of `bits` is set in the low word of the argument.
  void allowWithout(uint32_t call, int argument, uint32_t bits) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(offsetof(seccomp_data, args) + static_cast<size_t>(argument) * 8);
    add(BPF_JMP | BPF_JSET | BPF_K, bits, 1, 0);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    kill();
  }

  // Allows the call while the low word of the argument is `value`.
  void allowOnly(uint32_t call, int argument, uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
    load(offsetof(seccomp_data, args) + static_cast<size_t>(argument) * 8);
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    kill();
  }

  bool install(uint32_t otherwise) {
    add(BPF_RET | BPF_K, otherwise, 0, 0);
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  }

 private:
  void add(uint32_t operation, uint32_t value, uint8_t whenTrue, uint8_t whenFalse) {
    code_.push_back({static_cast<uint16_t>(operation), whenTrue, whenFalse, value});
  }
  void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset), 0, 0); }
  void kill() { add(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0); }

  std::vector<sock_filter> code_;
};

}  // namespace

bool allowLoading() {
  Filter filter;
  filter.allow(plainCalls);
  filter.allow(loaderCalls);
  // abort() signals itself, and nobody else.
  filter.allowOnly(SYS_tgkill, 0, static_cast<uint32_t>(getpid()));
  filter.allow({SYS_mmap, SYS_mprotect});
  // For the second filter; without flags, so that nobody can be asked to decide on a call.
  filter.allowOnly(SYS_seccomp, 1, 0);
  filter.allowWithout(SYS_openat, 2, openForWriting);
  return filter.install(SECCOMP_RET_KILL_PROCESS);
}

// On top of the first filter, which stays: the stricter answer holds.
bool forbidLoading() {
  Filter filter;
  for (const uint32_t call : loaderCalls) filter.deny(call);
  filter.deny(SYS_seccomp);
  filter.deny(SYS_openat);
  filter.allowWithout(SYS_mmap, 2, PROT_EXEC);
  filter.allowWithout(SYS_mprotect, 2, PROT_EXEC);
  return filter.install(SECCOMP_RET_ALLOW);
}

}  // namespace npu_runner
