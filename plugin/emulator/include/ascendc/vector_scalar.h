// Element-wise instructions with a source tensor and a scalar: dst = src op scalar.
#pragma once

#include "vector_unary.h"

namespace AscendC {

// The overloads of an instruction with a scalar: for `count` elements, for the first `mask` lanes of each repeat, or
// for the lanes whose bits `mask` has set.
#define NPU_EMU_DECLARE_SCALAR(name)                                                                                   \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count) { \
    static_assert(npu_emu::isa::name::types::has<T>, #name " does not support this element type on Atlas A2");         \
    npu_emu::vec::scalar<npu_emu::isa::name, T>(dst.npu_emu_operand(), src.npu_emu_operand(), scalarValue,             \
                                                npu_emu_detail::countWalk(count, isSetMask));                          \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,          \
                   const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                                  \
    static_assert(npu_emu::isa::name::types::has<T>, #name " does not support this element type on Atlas A2");         \
    npu_emu::vec::scalar<npu_emu::isa::name, T>(dst.npu_emu_operand(), src.npu_emu_operand(), scalarValue,             \
                                                npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask)); \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],        \
                   const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {                                  \
    static_assert(npu_emu::isa::name::types::has<T>, #name " does not support this element type on Atlas A2");         \
    npu_emu::vec::scalar<npu_emu::isa::name, T>(                                                                       \
        dst.npu_emu_operand(), src.npu_emu_operand(), scalarValue,                                                     \
        npu_emu_detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));           \
  }

// api: Adds | V | isa | documented
NPU_EMU_DECLARE_SCALAR(Adds)

// api: Muls | V | isa | documented
NPU_EMU_DECLARE_SCALAR(Muls)

// api: Maxs | V | isa | documented
NPU_EMU_DECLARE_SCALAR(Maxs)

// api: Mins | V | isa | documented
NPU_EMU_DECLARE_SCALAR(Mins)

// api: LeakyRelu | V | isa | documented
NPU_EMU_DECLARE_SCALAR(LeakyRelu)

// api: ShiftLeft | V | isa | documented
NPU_EMU_DECLARE_SCALAR(ShiftLeft)

#undef NPU_EMU_DECLARE_SCALAR

namespace npu_emu_detail {

// Unsigned elements are never rounded.
template <typename T>
inline void shiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& amount, const npu_emu::Walk& walk,
                       bool rounds) {
  static_assert(npu_emu::isa::ShiftRight::types::has<T>, "ShiftRight does not support this element type on Atlas A2");
  if constexpr (std::is_signed_v<T>) {
    if (rounds)
      return npu_emu::vec::scalar<npu_emu::isa::ShiftRightRounded, T>(dst.npu_emu_operand(), src.npu_emu_operand(),
                                                                      amount, walk);
  }
  npu_emu::vec::scalar<npu_emu::isa::ShiftRight, T>(dst.npu_emu_operand(), src.npu_emu_operand(), amount, walk);
}

}  // namespace npu_emu_detail

// api: ShiftRight | V | isa | documented
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                       const int32_t& count) {
  npu_emu_detail::shiftRight(dst, src, scalarValue, npu_emu_detail::countWalk(count, isSetMask), false);
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false) {
  npu_emu_detail::shiftRight(dst, src, scalarValue,
                             npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask), roundEn);
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn = false) {
  npu_emu_detail::shiftRight(
      dst, src, scalarValue,
      npu_emu_detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask), roundEn);
}

namespace npu_emu_detail {

template <typename T, typename U>
inline void axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 const npu_emu::Walk& walk) {
  static_assert((std::is_same_v<T, U> && npu_emu::isa::Axpy::types::has<T>) ||
                    (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "Axpy does not support these element types on Atlas A2");
  if constexpr (std::is_same_v<T, U>)
    npu_emu::vec::scalarAccumulate<npu_emu::isa::Axpy, T>(dst.npu_emu_operand(), src.npu_emu_operand(), scalarValue,
                                                          walk);
  else npu_emu::vec::axpyWide(dst.npu_emu_operand(), src.npu_emu_operand(), scalarValue, walk);
}

}  // namespace npu_emu_detail

// api: Axpy | V | half float; half->float | documented; one rounding: inferred
template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count) {
  npu_emu_detail::axpy(dst, src, scalarValue, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  npu_emu_detail::axpy(dst, src, scalarValue, npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  npu_emu_detail::axpy(
      dst, src, scalarValue,
      npu_emu_detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

}  // namespace AscendC
