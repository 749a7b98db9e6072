// The clock of the processor, which a kernel can read without a function of the host.
#pragma once

#include <cstdint>

#ifndef __aicore__
#define __aicore__
#endif

__aicore__ inline int64_t ticks() {
#if defined(__x86_64__)
  return static_cast<int64_t>(__builtin_ia32_rdtsc());
#else
  int64_t count;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#endif
}
