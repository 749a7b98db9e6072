#include "fault.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <ucontext.h>

#include "division.h"
#include "dry_run.h"
#include "overdue.h"

namespace npu_runner {

namespace {

// A page before and after each tensor cannot be touched; what lies beyond is nobody's.
constexpr uintptr_t reach = 4096 + 512;
constexpr size_t stackBytes = 64 * 1024;

alignas(16) char signalStack[stackBytes];
FaultNote* faultNote = nullptr;
const std::vector<npu_emu::GmRegion>* known = nullptr;
const Library* kernels[2] = {};

// snprintf is not on the list of functions that are safe here, but it neither locks nor allocates for these formats, and
// the worst that can happen is the death that is coming anyway.
void describe(uintptr_t address, char* text) {
  if (address < reach) {
    std::snprintf(text, FaultNote::capacity, "null + %zu", static_cast<size_t>(address));
    return;
  }
  if (known == nullptr) return;
  for (const npu_emu::GmRegion& region : *known) {
    const auto base = reinterpret_cast<uintptr_t>(region.base);
    if (address + reach < base || address >= base + region.bytes + reach) continue;
    const bool before = address < base;
    std::snprintf(text, FaultNote::capacity, "%.60s %c %zu (%zu bytes long)", region.name.c_str(), before ? '-' : '+',
                  static_cast<size_t>(before ? base - address : address - base), region.bytes);
    return;
  }
  std::snprintf(text, FaultNote::capacity, "outside of every tensor");
}

// The default action is back when this returns: the access is repeated and ends the process with the true signal.
void onFault(int number, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  npu_emu::needComputedAt(address);
  signal(number, SIG_DFL);
  if (faultNote != nullptr) describe(address, faultNote->place);
}

// Nothing but the division itself was under way: what a report needs can be done here.
void onDivision(int number, siginfo_t*, void* context) {
  if (!npu_emu::completeDivision(context)) signal(number, SIG_DFL);
}

npu_emu::Interrupted interruptedBy(const void* context) {
  const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto valueOf = [&](int name) { return static_cast<uintptr_t>(machine.gregs[name]); };
  npu_emu::Interrupted code{false, valueOf(REG_RIP), valueOf(REG_RSP), valueOf(REG_RBP)};
#else
  npu_emu::Interrupted code{false, machine.pc, machine.sp, machine.regs[29]};
#endif
  const auto* at = reinterpret_cast<const void*>(code.address);
  for (const Library* kernel : kernels) code.insideKernel |= kernel != nullptr && kernel->contains(at);
  return code;
}

// The supervisor sends it again and again: a kernel that it meets elsewhere, in the C library for instance, is met in its own
// code later.
void onOverdue(int, siginfo_t*, void* context) { npu_emu::endOverdue(interruptedBy(context)); }

}  // namespace

void watchFaults(FaultNote* note) {
  faultNote = note;
  const stack_t stack{signalStack, 0, sizeof signalStack};
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = onFault;
  // Whoever ends a launch in a handler leaves it without returning, which would unblock the signal.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const int number : {SIGSEGV, SIGBUS}) sigaction(number, &action, nullptr);
  action.sa_sigaction = onDivision;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGFPE, &action, nullptr);
  action.sa_sigaction = onOverdue;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  sigaction(SIGXCPU, &action, nullptr);
}

void watchLaunch(const std::vector<npu_emu::GmRegion>* regions, const Library* aiv, const Library* aic) {
  known = regions;
  kernels[0] = aiv;
  kernels[1] = aic;
}

}  // namespace npu_runner
