// Type conversion, fill and move inside UB.
#pragma once

#include "vector_unary.h"

namespace AscendC {

template <typename T, typename U>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint32_t count) {
  static_assert(npu_emu::castIsLegal<T, U>, "Cast between these element types does not exist on Atlas A2");
  npu_emu::vec::cast<T, U>(dst.operand(), src.operand(), roundMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::castIsLegal<T, U>, "Cast between these element types does not exist on Atlas A2");
  npu_emu::vec::cast<T, U>(dst.operand(), src.operand(), roundMode, detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::castIsLegal<T, U>, "Cast between these element types does not exist on Atlas A2");
  npu_emu::vec::cast<T, U>(dst.operand(), src.operand(), roundMode, detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count) {
  static_assert(npu_emu::isa::Fill::has<T>, "Duplicate does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(dst.operand(), scalarValue, npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
  static_assert(npu_emu::isa::Fill::has<T>, "Duplicate does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(dst.operand(), scalarValue, detail::unaryWalk(mask, repeatTime, {dstBlockStride, 1, dstRepeatStride, 8}, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime, const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
  static_assert(npu_emu::isa::Fill::has<T>, "Duplicate does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(dst.operand(), scalarValue, detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, {dstBlockStride, 1, dstRepeatStride, 8}, isSetMask));
}

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime, const CopyRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "Copy does not support this element type on Atlas A2");
  npu_emu::Walk walk = {npu_emu::Walk::Repeats, isSetMask, repeatTime, static_cast<uint32_t>(mask), {0, 0}, {repeatParams.dstStride, repeatParams.srcStride, 1}, {repeatParams.dstRepeatSize, repeatParams.srcRepeatSize, 8}};
  npu_emu::maskOfLanes(mask, walk.mask);
  npu_emu::vec::copy<T>(dst.operand(), src.operand(), walk);
}

template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t repeatTime, const BrcbRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "Brcb does not support this element type on Atlas A2");
  npu_emu::vec::brcb<T>(dst.operand(), src0.operand(), repeatTime, repeatParams.dstBlkStride, repeatParams.dstRepStride);
}

template <typename T>
inline void CreateVecIndex(const LocalTensor<T>& dst, const T& firstValue, uint32_t count) {
  static_assert(npu_emu::isa::Arithmetic::has<T>, "CreateVecIndex does not support this element type on Atlas A2");
  npu_emu::vec::createVecIndex<T>(dst.operand(), firstValue, count);
}

}  // namespace AscendC
