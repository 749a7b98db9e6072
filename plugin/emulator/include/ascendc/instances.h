// The instances of tensors and queues that libnpu_kernel.so holds: what nearly every kernel uses is compiled once. They are
// the same for both core kinds; instructions that only one kind has stay in the kernel, where the linker tells the
// kinds apart.
#pragma once

#include "data_copy.h"
#include "pipe.h"

// `template` in kernel/instances.cpp, which defines them.
#ifndef NPU_EMU_INSTANCE
#define NPU_EMU_INSTANCE extern template
#endif

namespace AscendC {

#define NPU_EMU_TENSORS(T)                                                                                       \
  NPU_EMU_INSTANCE class __attribute__((visibility("default"))) LocalTensor<T>;                                  \
  NPU_EMU_INSTANCE class __attribute__((visibility("default"))) GlobalTensor<T>;                                 \
  NPU_EMU_INSTANCE void DataCopyPad<T>(const LocalTensor<T>&, const GlobalTensor<T>&, const DataCopyExtParams&,  \
                                       const DataCopyPadExtParams<T>&);                                          \
  NPU_EMU_INSTANCE void DataCopyPad<T>(const GlobalTensor<T>&, const LocalTensor<T>&, const DataCopyExtParams&); \
  NPU_EMU_INSTANCE LocalTensor<T> TBuf<TPosition::VECCALC>::Get<T>();                                            \
  NPU_EMU_INSTANCE LocalTensor<T> TBuf<TPosition::VECCALC>::Get<T>(uint32_t);                                    \
  NPU_EMU_TENSORS_OF(T, TPosition::GM, TPosition::VECIN, 1)                                                      \
  NPU_EMU_TENSORS_OF(T, TPosition::GM, TPosition::VECIN, 2)                                                      \
  NPU_EMU_TENSORS_OF(T, TPosition::VECOUT, TPosition::GM, 1)                                                     \
  NPU_EMU_TENSORS_OF(T, TPosition::VECOUT, TPosition::GM, 2)

#define NPU_EMU_TENSORS_OF(T, from, to, depth)                                         \
  NPU_EMU_INSTANCE LocalTensor<T> TQueBind<from, to, depth, 0>::AllocTensor<T>();      \
  NPU_EMU_INSTANCE bool TQueBind<from, to, depth, 0>::EnQue<T>(const LocalTensor<T>&); \
  NPU_EMU_INSTANCE LocalTensor<T> TQueBind<from, to, depth, 0>::DeQue<T>();            \
  NPU_EMU_INSTANCE void TQueBind<from, to, depth, 0>::FreeTensor<T>(LocalTensor<T>&);

#define NPU_EMU_QUEUE(position, from, to, depth)                                              \
  NPU_EMU_INSTANCE class __attribute__((visibility("default"))) TQueBind<from, to, depth, 0>; \
  NPU_EMU_INSTANCE class __attribute__((visibility("default"))) TQue<position, depth, 0>;     \
  NPU_EMU_INSTANCE bool TPipe::InitBuffer<from, to, depth, 0>(TQueBind<from, to, depth, 0>&, uint8_t, uint32_t);

#pragma GCC visibility push(default)
NPU_EMU_QUEUE(TPosition::VECIN, TPosition::GM, TPosition::VECIN, 1)
NPU_EMU_QUEUE(TPosition::VECIN, TPosition::GM, TPosition::VECIN, 2)
NPU_EMU_QUEUE(TPosition::VECOUT, TPosition::VECOUT, TPosition::GM, 1)
NPU_EMU_QUEUE(TPosition::VECOUT, TPosition::VECOUT, TPosition::GM, 2)
NPU_EMU_INSTANCE class __attribute__((visibility("default"))) TBuf<TPosition::VECCALC>;
NPU_EMU_INSTANCE bool TPipe::InitBuffer<TPosition::VECCALC>(TBuf<TPosition::VECCALC>&, uint32_t);
NPU_EMU_TENSORS(half)
NPU_EMU_TENSORS(float)
NPU_EMU_TENSORS(bfloat16_t)
NPU_EMU_TENSORS(int16_t)
NPU_EMU_TENSORS(uint16_t)
NPU_EMU_TENSORS(int32_t)
NPU_EMU_TENSORS(uint32_t)
NPU_EMU_TENSORS(uint8_t)
#pragma GCC visibility pop

}  // namespace AscendC
