// Element-wise instructions with a source tensor and a scalar: dst = src op scalar.
#pragma once

#include "vector_unary.h"

namespace AscendC {

// api: Adds | V | isa | documented
template <typename T, bool isSetMask = true>
inline void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count) {
  static_assert(npu_emu::isa::Adds::types::has<T>, "Adds does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Adds, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Adds::types::has<T>, "Adds does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Adds, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Adds(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Adds::types::has<T>, "Adds does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Adds, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Muls | V | isa | documented
template <typename T, bool isSetMask = true>
inline void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count) {
  static_assert(npu_emu::isa::Muls::types::has<T>, "Muls does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Muls, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Muls::types::has<T>, "Muls does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Muls, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Muls(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Muls::types::has<T>, "Muls does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Muls, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Maxs | V | isa | documented
template <typename T, bool isSetMask = true>
inline void Maxs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count) {
  static_assert(npu_emu::isa::Maxs::types::has<T>, "Maxs does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Maxs, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Maxs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Maxs::types::has<T>, "Maxs does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Maxs, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Maxs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Maxs::types::has<T>, "Maxs does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Maxs, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Mins | V | isa | documented
template <typename T, bool isSetMask = true>
inline void Mins(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count) {
  static_assert(npu_emu::isa::Mins::types::has<T>, "Mins does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Mins, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Mins(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Mins::types::has<T>, "Mins does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Mins, T>(dst.operand(), src.operand(), scalarValue,
                                              detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Mins(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Mins::types::has<T>, "Mins does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::Mins, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: LeakyRelu | V | isa | documented
template <typename T, bool isSetMask = true>
inline void LeakyRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                      const int32_t& count) {
  static_assert(npu_emu::isa::LeakyRelu::types::has<T>, "LeakyRelu does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::LeakyRelu, T>(dst.operand(), src.operand(), scalarValue,
                                                   detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void LeakyRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                      const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::LeakyRelu::types::has<T>, "LeakyRelu does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::LeakyRelu, T>(dst.operand(), src.operand(), scalarValue,
                                                   detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void LeakyRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                      const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::LeakyRelu::types::has<T>, "LeakyRelu does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::LeakyRelu, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: ShiftLeft | V | isa | documented
template <typename T, bool isSetMask = true>
inline void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                      const int32_t& count) {
  static_assert(npu_emu::isa::ShiftLeft::types::has<T>, "ShiftLeft does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::ShiftLeft, T>(dst.operand(), src.operand(), scalarValue,
                                                   detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                      const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::ShiftLeft::types::has<T>, "ShiftLeft does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::ShiftLeft, T>(dst.operand(), src.operand(), scalarValue,
                                                   detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void ShiftLeft(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                      const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::ShiftLeft::types::has<T>, "ShiftLeft does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::ShiftLeft, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: ShiftRight | V | isa | documented
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue,
                       const int32_t& count) {
  static_assert(npu_emu::isa::ShiftRight::types::has<T>, "ShiftRight does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::ShiftRight, T>(dst.operand(), src.operand(), scalarValue,
                                                    detail::countWalk(count, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::ShiftRight::types::has<T>, "ShiftRight does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::ShiftRight, T>(dst.operand(), src.operand(), scalarValue,
                                                    detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::ShiftRight::types::has<T>, "ShiftRight does not support this element type on Atlas A2");
  npu_emu::vec::scalar<npu_emu::isa::ShiftRight, T>(
      dst.operand(), src.operand(), scalarValue,
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

namespace detail {

template <typename T, typename U>
inline void axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue,
                 const npu_emu::Walk& walk) {
  static_assert((std::is_same_v<T, U> && npu_emu::isa::Axpy::types::has<T>) ||
                    (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "Axpy does not support these element types on Atlas A2");
  if constexpr (std::is_same_v<T, U>)
    npu_emu::vec::scalarAccumulate<npu_emu::isa::Axpy, T>(dst.operand(), src.operand(), scalarValue, walk);
  else npu_emu::vec::axpyWide(dst.operand(), src.operand(), scalarValue, walk);
}

}  // namespace detail

// api: Axpy | V | half float; half->float | documented; one rounding: inferred
template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count) {
  detail::axpy(dst, src, scalarValue, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  detail::axpy(dst, src, scalarValue, detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  detail::axpy(dst, src, scalarValue,
               detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

}  // namespace AscendC
