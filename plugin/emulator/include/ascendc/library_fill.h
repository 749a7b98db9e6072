// Filling global memory with one value. The value is laid out in the memory of UB that no buffer has taken and stored
// from there: wait for MTE3 before that memory is written again or the result is read.
#pragma once

#include "library.h"
#include "system.h"

#pragma GCC visibility push(default)

namespace npu_emu::vec {

// `unitBytes`: the most that one store takes from UB.
template <typename T>
void fillGlobal(GmAddress dst, uint64_t elements, T value, uint32_t unitBytes);

}  // namespace npu_emu::vec

#pragma GCC visibility pop

namespace AscendC {

namespace npu_emu_detail {

template <typename T>
constexpr void checkFill() {
  static_assert(npu_emu::isa::Fill::has<T>,
                "Fill supports int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t and float on Atlas A2");
}

}  // namespace npu_emu_detail

// api: Fill, InitGlobalMemory | V, MTE3 | int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred:
//   bfloat16_t is not documented, but compiles on the device
template <typename T>
inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value) {
  npu_emu_detail::checkFill<T>();
  if ASCEND_IS_AIC {
    return;
  } else {
    npu_emu::vec::fillGlobal<T>(gmWorkspaceAddr.npu_emu_address(), size, value, 255 * 256);
  }
}
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value) {
  Fill<T>(gmWorkspaceAddr, size, value);
}

// api: InitOutput | V, MTE3 | int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred: not documented any
//   more
template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = 0) {
  npu_emu_detail::checkFill<T>();
  if ASCEND_IS_AIC {
    return;
  } else {
    npu_emu::vec::fillGlobal<T>(gmWorkspaceAddr.npu_emu_address(), size, value, 255 * 32);
  }
}

}  // namespace AscendC
