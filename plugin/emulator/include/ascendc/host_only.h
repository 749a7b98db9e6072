// Words of C++ that only a host has. Read behind the precompiled header and before the kernel: from here on whoever uses one,
// be it by a macro or by pasting, is told so at the line. Macros of our own that were defined before keep what they need.
// What no word gives away is found in what the compiler made of the kernel.
#pragma once
#pragma GCC system_header

// A build must give the same on every day and in every folder.
#undef __DATE__
#undef __TIME__
#undef __TIMESTAMP__
#undef __BASE_FILE__
#pragma GCC poison __DATE__ __TIME__ __TIMESTAMP__ __BASE_FILE__

#ifdef __CCE_AICORE__
// Kernels include this header, whose macros have words of below, and take nothing of it. It is part of the precompiled one: whatever
// is looked for here would be looked for in folders of the kernel first.
#undef va_start
#undef va_arg
#undef va_end
#undef va_copy
#undef __va_copy
// glibc has `__asm` in headers that kernels include (plugin/toolchain/asked-names.ts)
#pragma GCC poison asm __asm__ redefine_extname
#pragma GCC poison thread_local __thread _Thread_local
#pragma GCC poison vector_size __vector_size__ ext_vector_type __ext_vector_type__
// clang divides them in loops that report no blocks
#pragma GCC poison _BitInt _ExtInt
// no word of C++17, by which g++ makes code of half the length
#pragma GCC poison register
#pragma GCC poison no_sanitize __no_sanitize__ no_sanitize_thread __no_sanitize_thread__ no_sanitize_address
#pragma GCC poison __no_sanitize_address__ no_sanitize_memory no_sanitize_undefined __no_sanitize_undefined__
#pragma GCC poison no_sanitize_coverage __no_sanitize_coverage__ no_address_safety_analysis
#pragma GCC poison disable_sanitizer_instrumentation __disable_sanitizer_instrumentation__
#pragma GCC poison no_instrument_function __no_instrument_function__
#pragma GCC poison nodebug __nodebug__
#pragma GCC poison no_profile_instrument_function __no_profile_instrument_function__
#pragma GCC poison __builtin_readcyclecounter __builtin_ia32_rdtsc __builtin_ia32_rdtscp __builtin_ia32_rdpmc
#pragma GCC poison __builtin_cpu_init __builtin_cpu_is __builtin_cpu_supports __builtin_thread_pointer
#pragma GCC poison __builtin_frame_address __builtin_return_address __builtin_extract_return_addr
#pragma GCC poison __builtin_va_copy __builtin_va_start
#pragma GCC poison __builtin_setjmp __builtin_longjmp __builtin_apply __builtin_apply_args __builtin_return

#ifndef __clang__
// g++ writes out what is called by these names, and reports nothing of it. What is called as a function is seen.
namespace npu_emu {
extern "C" {
void* memcpy(void*, const void*, unsigned long) noexcept;
void* memmove(void*, const void*, unsigned long) noexcept;
void* memset(void*, int, unsigned long) noexcept;
int memcmp(const void*, const void*, unsigned long) noexcept;
}
}  // namespace npu_emu
// g++ answers here what clang writes down for its optimiser. What is constant stays so, and anything else is a call that is seen.
namespace npu_emu {
constexpr int unknownConstant() noexcept { return 0; }
}  // namespace npu_emu
#define __builtin_constant_p(...) (__builtin_constant_p(__VA_ARGS__) ? 1 : npu_emu::unknownConstant())
#define __builtin_memcpy npu_emu::memcpy
#define __builtin_memmove npu_emu::memmove
#define __builtin_memset npu_emu::memset
#define __builtin_memcmp npu_emu::memcmp
#endif

// Instruction sets of the processor that compiles. What says which system and compiler it is stays: headers of the library
// ask for it, and the device's compiler is a clang on Linux as well.
#undef __MMX__
#undef __MMX_WITH_SSE__
#undef __SSE__
#undef __SSE2__
#undef __SSE3__
#undef __SSSE3__
#undef __SSE4_1__
#undef __SSE4_2__
#undef __SSE_MATH__
#undef __SSE2_MATH__
#undef __AVX__
#undef __AVX2__
#undef __FMA__
#undef __F16C__
#undef __BMI__
#undef __BMI2__
#undef __LZCNT__
#undef __POPCNT__
#undef __MOVBE__
#undef __CRC32__
#undef __FXSR__
#undef __XSAVE__
#undef __LAHF_SAHF__
#undef __k8
#undef __k8__
#undef __VERSION__
#undef __clang_version__
#endif
