// What the toolchain appends to a kernel: one C entry that takes the addresses as an array.
#pragma once

#include "types.h"

namespace npu_emu {

// Raised whenever a kernel library built before would no longer fit the runtime.
constexpr unsigned abiVersion = 1;

template <typename... A>
constexpr unsigned arityOf(void (*)(A...)) {
  return sizeof...(A);
}

template <typename T>
constexpr bool isAddress = std::is_pointer_v<T> || std::is_same_v<T, uint64_t>;

template <typename... A, size_t... i>
inline void callKernel(void (*kernel)(A...), uint8_t* const* args, std::index_sequence<i...>) {
  static_assert((isAddress<A> && ...), "every parameter of a kernel is a GM_ADDR");
  kernel((A)args[i]...);
}

template <typename... A>
inline void callKernel(void (*kernel)(A...), uint8_t* const* args) {
  callKernel(kernel, args, std::index_sequence_for<A...>{});
}

}  // namespace npu_emu

#define NPU_EMU_EXPORT extern "C" __attribute__((visibility("default")))
#define NPU_EMU_ENTRY(kernel) \
  NPU_EMU_EXPORT const unsigned npu_emu_abi; \
  NPU_EMU_EXPORT const unsigned npu_emu_arity; \
  const unsigned npu_emu_abi = npu_emu::abiVersion; \
  const unsigned npu_emu_arity = npu_emu::arityOf(kernel); \
  NPU_EMU_EXPORT void npu_emu_entry(uint8_t* const* args) { npu_emu::callKernel(kernel, args); }
