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

// The array is the launch's.
template <typename... A, size_t... i>
inline void callKernel(void (*kernel)(A...), uint8_t* const* args, std::index_sequence<i...>) {
  static_assert((isAddress<A> && ...), "every parameter of a kernel is a GM_ADDR");
  kernel((A)args[i]...);
}

// What a build has found of KERNEL_TASK_TYPE and KERNEL_TASK_TYPE_DEFAULT: a table that stands before the kernel.
struct TaskType {
  bool all;  // for all tiling keys
  uint64_t key;
  KernelMetaType type;
};
template <size_t length>
struct TaskTypes {
  TaskType types[length == 0 ? 1 : length];
  constexpr const TaskType* begin() const { return types; }
  constexpr const TaskType* end() const { return types + length; }
};

// A type for the key takes precedence over one for all keys, and that over the qualifier of the kernel. Negative where
// none is declared.
__attribute__((visibility("default"))) int taskTypeOf(uint64_t key, const TaskType* begin, const TaskType* end,
                                                      int qualified);

template <typename... A>
inline void callKernel(void (*kernel)(A...), uint8_t* const* args) {
  npu_emu::callKernel(kernel, args, std::index_sequence_for<A...>{});
}

}  // namespace npu_emu

#define NPU_EMU_EXPORT extern "C" __attribute__((visibility("default")))
// What a call of the other core kind does.
#define NPU_EMU_IDLE \
  extern "C" __attribute__((visibility("hidden"), used)) int64_t npu_emu_idle() { return 0; }
#define NPU_EMU_ENTRY(kernel, types)                                                     \
  NPU_EMU_IDLE                                                                           \
  NPU_EMU_EXPORT int npu_emu_task_type(uint64_t key) {                                   \
    return npu_emu::taskTypeOf(key, types.begin(), types.end(), NPU_EMU_QUALIFIED_TYPE); \
  }                                                                                      \
  NPU_EMU_EXPORT const unsigned npu_emu_abi;                                             \
  NPU_EMU_EXPORT const unsigned npu_emu_arity;                                           \
  const unsigned npu_emu_abi = npu_emu::abiVersion;                                      \
  const unsigned npu_emu_arity = npu_emu::arityOf(kernel);                               \
  NPU_EMU_EXPORT void npu_emu_entry(uint8_t* const* args) { npu_emu::callKernel(kernel, args); }
