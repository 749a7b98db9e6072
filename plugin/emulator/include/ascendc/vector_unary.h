// Element-wise instructions with one source tensor: dst = op(src).
#pragma once

#include "tensor.h"

namespace AscendC {

namespace detail {

#pragma GCC visibility push(default)
npu_emu::Walk unaryWalk(uint8_t repeats, const UnaryRepeatParams& params, bool setsMask);
npu_emu::Walk unaryWalk(uint64_t lanes, uint8_t repeats, const UnaryRepeatParams& params, bool setsMask);
npu_emu::Walk unaryWalk(const uint64_t* mask, uint8_t repeats, const UnaryRepeatParams& params, bool setsMask);
// The count form of the scalar instructions: without a mask of its own it is one repeat under the mask register.
npu_emu::Walk countWalk(int32_t count, bool setsMask);
#pragma GCC visibility pop

}  // namespace detail

// api: Abs | V | isa | documented
template <typename T>
inline void Abs(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Abs::types::has<T>, "Abs does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Abs, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Abs(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Abs::types::has<T>, "Abs does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Abs, T>(dst.operand(), src.operand(),
                                            detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Abs(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Abs::types::has<T>, "Abs does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Abs, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Exp | V | isa | documented; last bits: inferred
template <typename T>
inline void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Exp::types::has<T>, "Exp does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Exp, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Exp::types::has<T>, "Exp does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Exp, T>(dst.operand(), src.operand(),
                                            detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Exp(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Exp::types::has<T>, "Exp does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Exp, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Ln | V | isa | documented; last bits: inferred
template <typename T>
inline void Ln(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Ln::types::has<T>, "Ln does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Ln, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Ln(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Ln::types::has<T>, "Ln does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Ln, T>(dst.operand(), src.operand(),
                                           detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Ln(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
               const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Ln::types::has<T>, "Ln does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Ln, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Sqrt | V | isa | documented
template <typename T>
inline void Sqrt(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Sqrt::types::has<T>, "Sqrt does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Sqrt, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Sqrt(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                 const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Sqrt::types::has<T>, "Sqrt does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Sqrt, T>(dst.operand(), src.operand(),
                                             detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Sqrt(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                 const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Sqrt::types::has<T>, "Sqrt does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Sqrt, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Rsqrt | V | isa | documented; the coarse table: inferred from sample values
template <typename T>
inline void Rsqrt(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Rsqrt::types::has<T>, "Rsqrt does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Rsqrt, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Rsqrt(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                  const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Rsqrt::types::has<T>, "Rsqrt does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Rsqrt, T>(dst.operand(), src.operand(),
                                              detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Rsqrt(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                  const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Rsqrt::types::has<T>, "Rsqrt does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Rsqrt, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Reciprocal | V | isa | documented; the coarse table: inferred from sample values
template <typename T>
inline void Reciprocal(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Reciprocal::types::has<T>, "Reciprocal does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Reciprocal, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Reciprocal(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                       const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Reciprocal::types::has<T>, "Reciprocal does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Reciprocal, T>(dst.operand(), src.operand(),
                                                   detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Reciprocal(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                       const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Reciprocal::types::has<T>, "Reciprocal does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Reciprocal, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Relu | V | isa | documented
template <typename T>
inline void Relu(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Relu::types::has<T>, "Relu does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Relu, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Relu(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                 const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Relu::types::has<T>, "Relu does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Relu, T>(dst.operand(), src.operand(),
                                             detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Relu(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                 const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Relu::types::has<T>, "Relu does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Relu, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Not | V | isa | documented
template <typename T>
inline void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {
  static_assert(npu_emu::isa::Not::types::has<T>, "Not does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Not, T>(dst.operand(), src.operand(), npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Not::types::has<T>, "Not does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Not, T>(dst.operand(), src.operand(),
                                            detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Not(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,
                const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Not::types::has<T>, "Not does not support this element type on Atlas A2");
  npu_emu::vec::unary<npu_emu::isa::Not, T>(
      dst.operand(), src.operand(),
      detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

}  // namespace AscendC
