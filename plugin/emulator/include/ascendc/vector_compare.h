// Comparison to bit masks, and selection by bit masks.
#pragma once

#include "vector_binary.h"
#include "vector_unary.h"

namespace AscendC {

namespace npu_emu_detail {

// The destination holds bits, of whatever type it is.
template <typename T, typename U>
constexpr void checkCompare() {
  static_assert(npu_emu::isa::Comparable::has<T>, "Compare does not support this element type on Atlas A2");
}

// The mask holds bits, of whatever type it is: the toolchain warns of types that are not documented.
template <typename T>
constexpr void checkSelect() {
  static_assert(npu_emu::isa::Floating::has<T>, "Select does not support this element type on Atlas A2");
}

}  // namespace npu_emu_detail

// api: Compare | V | half float int32_t(EQ); dst uint8_t int8_t | documented; dst of other types: inferred, the device
//   compiles them
template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    uint32_t count) {
  npu_emu_detail::checkCompare<T, U>();
  npu_emu::vec::compare<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), cmpMode,
                           npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkCompare<T, U>();
  npu_emu::vec::compare<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), cmpMode,
                           npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkCompare<T, U>();
  npu_emu::vec::compare<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), cmpMode,
                           npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

// api: Compare (to register) | V | half float | documented; bits of masked lanes: guessed 0
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask[],
                    const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Floating::has<T>,
                "Compare into the register does not support this element type on Atlas A2");
  npu_emu::vec::compareToRegister<T>(src0.npu_emu_operand(), src1.npu_emu_operand(), cmpMode,
                                     npu_emu_detail::binaryWalk(mask, 1, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask,
                    const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Floating::has<T>,
                "Compare into the register does not support this element type on Atlas A2");
  npu_emu::vec::compareToRegister<T>(src0.npu_emu_operand(), src1.npu_emu_operand(), cmpMode,
                                     npu_emu_detail::binaryWalk(mask, 1, repeatParams, isSetMask));
}

// api: GetCmpMask | V | 8-bit 16-bit 32-bit | documented
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst) {
  static_assert(sizeof(T) <= 4, "GetCmpMask does not support this element type on Atlas A2");
  npu_emu::vec::getCompareMask(dst.npu_emu_operand());
}
// api: SetCmpMask | V | 8-bit 16-bit 32-bit 64-bit | documented
template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src) {
  npu_emu::vec::setCompareMask(src.npu_emu_operand());
}

// The overloads of the comparison with a scalar, which has two names.
#define NPU_EMU_DECLARE_COMPARE_SCALAR(name)                                                                   \
  template <typename T, typename U>                                                                            \
  inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                   uint32_t count) {                                                                           \
    npu_emu_detail::checkCompare<T, U>();                                                                      \
    npu_emu::vec::compareScalar<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1Scalar, cmpMode,         \
                                   npu_emu::Walk::ofCount(count));                                             \
  }                                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                                     \
  inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                   const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {           \
    npu_emu_detail::checkCompare<T, U>();                                                                      \
    npu_emu::vec::compareScalar<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1Scalar, cmpMode,         \
                                   npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));      \
  }                                                                                                            \
  template <typename T, typename U, bool isSetMask = true>                                                     \
  inline void name(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode, \
                   const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {         \
    npu_emu_detail::checkCompare<T, U>();                                                                      \
    npu_emu::vec::compareScalar<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1Scalar, cmpMode,         \
                                   npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));      \
  }

// api: Compares, CompareScalar | V | half float int32_t(EQ) | documented; dst of other types: inferred, the device
//   compiles them
NPU_EMU_DECLARE_COMPARE_SCALAR(CompareScalar)
NPU_EMU_DECLARE_COMPARE_SCALAR(Compares)

#undef NPU_EMU_DECLARE_COMPARE_SCALAR

// The library sets the mask whatever `isSetMask` says.
// api: Select | V | half float; mask uint8_t uint16_t uint32_t uint64_t | documented; mask int8_t: inferred, the device
//   compiles it
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint32_t count) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::select<T>(dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(),
                          src1.npu_emu_operand(), selMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint32_t count) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::selectScalar<T>(dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(), src1, selMode,
                                npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime,
                   const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::select<T>(dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(),
                          src1.npu_emu_operand(), selMode,
                          npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, true));
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::selectScalar<T>(dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(), src1, selMode,
                                npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, true));
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask[], uint8_t repeatTime,
                   const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::select<T>(
      dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), selMode,
      npu_emu_detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, true));
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::selectScalar<T>(
      dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(), src1, selMode,
      npu_emu_detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, true));
}

// The mask comes from SetVectorMask; the register of SetCmpMask holds the bits (mode 0), the address of the bits (mode
// 2) or the scalar (mode 1).
// api: Select (register) | V | half float | documented
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Floating::has<T>, "Select does not support this element type on Atlas A2");
  static_assert(selMode != SELMODE::VSEL_TENSOR_SCALAR_MODE,
                "Select of a tensor and a scalar takes the selMask tensor as its second argument");
  npu_emu::vec::selectByRegister<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), selMode,
                                    npu_emu_detail::binaryWalk(repeatTime, repeatParams, false));
}
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::checkSelect<T>();
  npu_emu::vec::selectRegisterScalar<T>(dst.npu_emu_operand(), selMask.npu_emu_operand(), src0.npu_emu_operand(),
                                        npu_emu_detail::binaryWalk(repeatTime, repeatParams, false));
}

}  // namespace AscendC
