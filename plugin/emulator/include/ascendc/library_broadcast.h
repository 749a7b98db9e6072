// Broadcasting of one or two dimensions by the library.
#pragma once

#include "library.h"
#include "system.h"

#pragma GCC visibility push(default)

namespace npu_emu::vec {

// Of one or two dimensions; the second extent of one is 1.
using MatrixShape = uint32_t[2];
void broadcast(Operand dst, Operand src, const Temporary& temporary, const MatrixShape& dstShape,
               const MatrixShape& srcShape, uint32_t dims, uint32_t axis, uint32_t elementBytes);

}  // namespace npu_emu::vec

#pragma GCC visibility pop

namespace AscendC {

namespace npu_emu_detail {

template <typename T, int32_t dim, int32_t axis>
inline void broadcast(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t* dstShape,
                      const uint32_t* srcShape, const npu_emu::Temporary& temporary) {
  static_assert(npu_emu::Types<int8_t, uint8_t, int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>::has<T>,
                "Broadcast supports elements of 8, 16 and 32 bits on Atlas A2");
  static_assert(dim == 1 || dim == 2, "Broadcast supports one and two dimensions on Atlas A2");
  static_assert(axis == 0 || axis == 1, "Broadcast supports the axes 0 and 1 on Atlas A2");
  npu_emu::vec::broadcast(dst.npu_emu_operand(), src.npu_emu_operand(), temporary,
                          {dstShape[0], dim == 2 ? dstShape[dim - 1] : 1},
                          {srcShape[0], dim == 2 ? srcShape[dim - 1] : 1}, dim, axis, sizeof(T));
}

}  // namespace npu_emu_detail

// api: Broadcast, BroadCast | V | int8_t uint8_t int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred: 16
//   and 32 bits other than half and float are not documented; the clock
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer) {
  if ASCEND_IS_AIV
    npu_emu_detail::broadcast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape,
                                            npu_emu::temporaryOf(sharedTmpBuffer));
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void Broadcast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim]) {
  if ASCEND_IS_AIV
    npu_emu_detail::broadcast<T, dim, axis>(dstLocal, srcLocal, dstShape, srcShape, npu_emu::stackTemporary());
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer) {
  Broadcast<T, dim, axis, isReuseSource>(dstLocal, srcLocal, dstShape, srcShape, sharedTmpBuffer);
}
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
inline void BroadCast(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],
                      const uint32_t srcShape[dim]) {
  Broadcast<T, dim, axis, isReuseSource>(dstLocal, srcLocal, dstShape, srcShape);
}

}  // namespace AscendC
