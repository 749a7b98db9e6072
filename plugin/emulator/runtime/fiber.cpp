#include "fiber.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace npu_emu {

// Saves the callee-saved registers and the stack pointer in *from, then continues at `to`.
extern "C" void npuEmuSwitch(void** from, void* to);
extern "C" void npuEmuFiberStart();

#if defined(__x86_64__)
asm(R"(
.text
.globl npuEmuSwitch
.type npuEmuSwitch,@function
npuEmuSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size npuEmuSwitch,.-npuEmuSwitch
.globl npuEmuFiberStart
.type npuEmuFiberStart,@function
npuEmuFiberStart:
  .cfi_startproc
  .cfi_undefined rip
  movq %r13, %rdi
  callq *%r12
  ud2
  .cfi_endproc
.size npuEmuFiberStart,.-npuEmuFiberStart
)");

static void* initialFrame(uint8_t* top, void (*run)(void*), void* argument) {
  auto** frame = reinterpret_cast<void**>(top) - 9;  // leaves the stack aligned to 16 when the entry is called
  frame[0] = nullptr;                                // r15
  frame[1] = nullptr;                                // r14
  frame[2] = argument;                               // r13
  frame[3] = reinterpret_cast<void*>(run);           // r12
  frame[4] = nullptr;                                // rbx
  frame[5] = nullptr;                                // rbp
  frame[6] = reinterpret_cast<void*>(npuEmuFiberStart);
  return frame;
}
#elif defined(__aarch64__)
asm(R"(
.text
.globl npuEmuSwitch
.type npuEmuSwitch,@function
npuEmuSwitch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size npuEmuSwitch,.-npuEmuSwitch
.globl npuEmuFiberStart
.type npuEmuFiberStart,@function
npuEmuFiberStart:
  .cfi_startproc
  .cfi_undefined x30
  mov x0, x20
  blr x19
  brk #1
  .cfi_endproc
.size npuEmuFiberStart,.-npuEmuFiberStart
)");

static void* initialFrame(uint8_t* top, void (*run)(void*), void* argument) {
  auto** frame = reinterpret_cast<void**>(top) - 20;
  for (int i = 0; i < 20; ++i) frame[i] = nullptr;
  frame[0] = reinterpret_cast<void*>(run);                // x19
  frame[1] = argument;                                    // x20
  frame[11] = reinterpret_cast<void*>(npuEmuFiberStart);  // x30
  return frame;
}
#else
#error "the emulator runs on x86-64 and aarch64"
#endif

namespace {
// The device gives a core some tens of KiB; unoptimised host code needs more for the same kernel.
constexpr size_t stackBytes = size_t(1) << 20;
constexpr size_t guardBytes = size_t(64) << 10;
// Where the first functions of a kernel have their variables: one that has not been given a value is no zero on a device. This
// one is no number, and as an integer the largest.
constexpr size_t valuelessBytes = size_t(8) << 10;
constexpr int valueless = 0xff;
void* scheduler = nullptr;
}  // namespace

void createFiber(Fiber& fiber) {
  void* area = mmap(nullptr, guardBytes + stackBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (area == MAP_FAILED) throw std::bad_alloc();
  fiber.stack = static_cast<uint8_t*>(area);
  fiber.stackBytes = guardBytes + stackBytes;
  if (mprotect(fiber.stack + guardBytes, stackBytes, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
}

void destroyFiber(Fiber& fiber) {
  if (fiber.stack != nullptr) munmap(fiber.stack, fiber.stackBytes);
  fiber = {};
}

void emptyStack(Fiber& fiber) {
  madvise(fiber.stack + guardBytes, stackBytes, MADV_DONTNEED);
  std::memset(fiber.stack + fiber.stackBytes - valuelessBytes, valueless, valuelessBytes);
}

void prepareFiber(Fiber& fiber, void (*run)(void*), void* argument) {
  fiber.stackPointer = initialFrame(fiber.stack + fiber.stackBytes, run, argument);
}

void resumeFiber(Fiber& fiber) { npuEmuSwitch(&scheduler, fiber.stackPointer); }

void leaveFiber(Fiber& fiber) { npuEmuSwitch(&fiber.stackPointer, scheduler); }

}  // namespace npu_emu
