// Comparison to bit masks, and selection by bit masks.
#pragma once

#include "vector_binary.h"
#include "vector_unary.h"

namespace AscendC {

namespace detail {

template <typename T, typename U>
constexpr void checkCompare() {
  static_assert(std::is_same_v<U, uint8_t> || std::is_same_v<U, int8_t>, "the destination of a comparison holds bits: LocalTensor<uint8_t> or LocalTensor<int8_t>");
  static_assert(npu_emu::isa::Comparable::has<T>, "Compare does not support this element type on Atlas A2");
}

template <typename T, typename U>
constexpr void checkSelect() {
  static_assert(npu_emu::isa::Floating::has<T>, "Select does not support this element type on Atlas A2");
  static_assert(npu_emu::Types<uint8_t, uint16_t, uint32_t, uint64_t>::has<U>, "the mask of Select is a LocalTensor of an unsigned integer type");
}

}  // namespace detail

template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, uint32_t count) {
  detail::checkCompare<T, U>();
  npu_emu::vec::compare<T>(dst.operand(), src0.operand(), src1.operand(), cmpMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  detail::checkCompare<T, U>();
  npu_emu::vec::compare<T>(dst.operand(), src0.operand(), src1.operand(), cmpMode, detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

template <typename T, typename U>
inline void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count) {
  detail::checkCompare<T, U>();
  npu_emu::vec::compareScalar<T>(dst.operand(), src0.operand(), src1Scalar, cmpMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  detail::checkCompare<T, U>();
  npu_emu::vec::compareScalar<T>(dst.operand(), src0.operand(), src1Scalar, cmpMode, detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U>
inline void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, uint32_t count) {
  CompareScalar(dst, src0, src1Scalar, cmpMode, count);
}

template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode, uint32_t count) {
  detail::checkSelect<T, U>();
  npu_emu::vec::select<T>(dst.operand(), selMask.operand(), src0.operand(), src1.operand(), selMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1, SELMODE selMode, uint32_t count) {
  detail::checkSelect<T, U>();
  npu_emu::vec::selectScalar<T>(dst.operand(), selMask.operand(), src0.operand(), src1, selMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  detail::checkSelect<T, U>();
  npu_emu::vec::select<T>(dst.operand(), selMask.operand(), src0.operand(), src1.operand(), selMode, detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  detail::checkSelect<T, U>();
  npu_emu::vec::selectScalar<T>(dst.operand(), selMask.operand(), src0.operand(), src1, selMode, detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

}  // namespace AscendC
