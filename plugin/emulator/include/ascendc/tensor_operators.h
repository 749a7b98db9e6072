// dst = src0 op src1 on whole tensors.
#pragma once

#include "vector_binary.h"
#include "vector_compare.h"

namespace AscendC {

// api: operator+, operator-, operator*, operator/, operator&, operator| (whole tensor) | V | types of Add Sub Mul Div
//   And Or | documented
template <typename T>
inline npu_emu_detail::Operation<npu_emu::isa::Add, T> operator+(const LocalTensor<T>& src0,
                                                                 const LocalTensor<T>& src1) {
  return {src0, src1};
}
template <typename T>
inline npu_emu_detail::Operation<npu_emu::isa::Sub, T> operator-(const LocalTensor<T>& src0,
                                                                 const LocalTensor<T>& src1) {
  return {src0, src1};
}
template <typename T>
inline npu_emu_detail::Operation<npu_emu::isa::Mul, T> operator*(const LocalTensor<T>& src0,
                                                                 const LocalTensor<T>& src1) {
  return {src0, src1};
}
template <typename T>
inline npu_emu_detail::Operation<npu_emu::isa::Div, T> operator/(const LocalTensor<T>& src0,
                                                                 const LocalTensor<T>& src1) {
  return {src0, src1};
}
template <typename T>
inline npu_emu_detail::Operation<npu_emu::isa::And, T> operator&(const LocalTensor<T>& src0,
                                                                 const LocalTensor<T>& src1) {
  return {src0, src1};
}
template <typename T>
inline npu_emu_detail::Operation<npu_emu::isa::Or, T> operator|(const LocalTensor<T>& src0,
                                                                const LocalTensor<T>& src1) {
  return {src0, src1};
}

// api: operator<, operator>, operator<=, operator>=, operator==, operator!= (whole tensor) | V | half float; dst
//   uint8_t int8_t | documented
template <typename T>
inline npu_emu_detail::Comparison<T> operator<(const LocalTensor<T>& src0, const LocalTensor<T>& src1) {
  return {src0, src1, CMPMODE::LT};
}
template <typename T>
inline npu_emu_detail::Comparison<T> operator>(const LocalTensor<T>& src0, const LocalTensor<T>& src1) {
  return {src0, src1, CMPMODE::GT};
}
template <typename T>
inline npu_emu_detail::Comparison<T> operator<=(const LocalTensor<T>& src0, const LocalTensor<T>& src1) {
  return {src0, src1, CMPMODE::LE};
}
template <typename T>
inline npu_emu_detail::Comparison<T> operator>=(const LocalTensor<T>& src0, const LocalTensor<T>& src1) {
  return {src0, src1, CMPMODE::GE};
}
template <typename T>
inline npu_emu_detail::Comparison<T> operator==(const LocalTensor<T>& src0, const LocalTensor<T>& src1) {
  return {src0, src1, CMPMODE::EQ};
}
template <typename T>
inline npu_emu_detail::Comparison<T> operator!=(const LocalTensor<T>& src0, const LocalTensor<T>& src1) {
  return {src0, src1, CMPMODE::NE};
}

namespace npu_emu_detail {

// As many elements as the destination has.
template <typename I, typename T>
inline void store(const LocalTensor<T>& dst, const Operation<I, T>& operation) {
  auto count = static_cast<int32_t>(dst.GetSize());
  if constexpr (std::is_same_v<I, npu_emu::isa::And>) {
    And(dst, operation.src0, operation.src1, count);
  } else if constexpr (std::is_same_v<I, npu_emu::isa::Or>) {
    Or(dst, operation.src0, operation.src1, count);
  } else {
    static_assert(I::types::template has<T>, "this operator does not support the element type on Atlas A2");
    npu_emu::vec::binary<I, T>(dst.npu_emu_operand(), operation.src0.npu_emu_operand(),
                               operation.src1.npu_emu_operand(), npu_emu::Walk::ofCount(count));
  }
}

// As many elements as the first source has.
template <typename T, typename U>
inline void store(const LocalTensor<U>& dst, const Comparison<T>& comparison) {
  static_assert(npu_emu::isa::Floating::has<T>, "comparison operators do not support this element type on Atlas A2");
  Compare(dst, comparison.src0, comparison.src1, comparison.mode, comparison.src0.GetSize());
}

}  // namespace npu_emu_detail
}  // namespace AscendC
