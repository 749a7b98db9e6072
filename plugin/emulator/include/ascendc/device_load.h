// Loads of device memory that the device is told of before. In these functions alone a load is not reported a second time, which
// goes by file (plugin/toolchain/runtime.ts): other functions of the headers report theirs as kernels do, since what a kernel
// hands them by reference may lie anywhere.
#pragma once

#include "runtime_api.h"

namespace npu_emu {

template <typename T>
constexpr bool isElement = sizeof(T) <= sizeof(uint64_t);

template <typename T>
NPU_EMU_UNREPORTED inline T loadLocal(Operand element) {
  static_assert(isElement<T>, "elements have at most 64 bits");
  scalarRead(element, sizeof(T));
  return *reinterpret_cast<const T*>(element.address);
}

template <typename T>
NPU_EMU_UNREPORTED inline T loadGm(GmAddress element) {
  static_assert(isElement<T>, "elements have at most 64 bits");
  scalarReadGm(element, sizeof(T));
  return *reinterpret_cast<const T*>(element);
}

// Past the data cache of the scalar unit.
template <typename T>
NPU_EMU_UNREPORTED inline T loadGmPastCache(GmAddress element) {
  flagReadGm(element, sizeof(T));
  return *reinterpret_cast<const T*>(element);
}

}  // namespace npu_emu
