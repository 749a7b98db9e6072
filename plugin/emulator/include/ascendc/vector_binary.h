// Element-wise instructions with two source tensors: dst = src0 op src1.
#pragma once

#include "tensor.h"

namespace AscendC {

namespace detail {

#pragma GCC visibility push(default)
npu_emu::Walk binaryWalk(uint8_t repeats, const BinaryRepeatParams& params, bool setsMask);
npu_emu::Walk binaryWalk(uint64_t lanes, uint8_t repeats, const BinaryRepeatParams& params, bool setsMask);
npu_emu::Walk binaryWalk(const uint64_t* mask, uint8_t repeats, const BinaryRepeatParams& params, bool setsMask);
#pragma GCC visibility pop

}  // namespace detail

// api: Add | V | isa | documented
template <typename T>
inline void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  static_assert(npu_emu::isa::Add::types::has<T>, "Add does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Add, T>(dst.operand(), src0.operand(), src1.operand(),
                                             npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Add::types::has<T>, "Add does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Add, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Add(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Add::types::has<T>, "Add does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Add, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Sub | V | isa | documented
template <typename T>
inline void Sub(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  static_assert(npu_emu::isa::Sub::types::has<T>, "Sub does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Sub, T>(dst.operand(), src0.operand(), src1.operand(),
                                             npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Sub(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Sub::types::has<T>, "Sub does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Sub, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Sub(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Sub::types::has<T>, "Sub does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Sub, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Mul | V | isa | documented
template <typename T>
inline void Mul(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  static_assert(npu_emu::isa::Mul::types::has<T>, "Mul does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Mul, T>(dst.operand(), src0.operand(), src1.operand(),
                                             npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Mul(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Mul::types::has<T>, "Mul does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Mul, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Mul(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Mul::types::has<T>, "Mul does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Mul, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Div | V | isa | documented
template <typename T>
inline void Div(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  static_assert(npu_emu::isa::Div::types::has<T>, "Div does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Div, T>(dst.operand(), src0.operand(), src1.operand(),
                                             npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Div(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Div::types::has<T>, "Div does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Div, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Div(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Div::types::has<T>, "Div does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Div, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Max | V | isa | documented; NaN wins, +0 is greater than -0: inferred
template <typename T>
inline void Max(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  static_assert(npu_emu::isa::Max::types::has<T>, "Max does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Max, T>(dst.operand(), src0.operand(), src1.operand(),
                                             npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Max(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Max::types::has<T>, "Max does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Max, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Max(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Max::types::has<T>, "Max does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Max, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Min | V | isa | documented; NaN wins, +0 is greater than -0: inferred
template <typename T>
inline void Min(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  static_assert(npu_emu::isa::Min::types::has<T>, "Min does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Min, T>(dst.operand(), src0.operand(), src1.operand(),
                                             npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Min(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Min::types::has<T>, "Min does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Min, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Min(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Min::types::has<T>, "Min does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Min, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: And | V | isa | documented; count of elements of other types: inferred, the device takes as many of 16 bits
template <typename T>
inline void And(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                const int32_t& count) {
  npu_emu::vec::binary<npu_emu::isa::And, uint16_t>(
      dst.operand(), src0.operand(), src1.operand(),
      npu_emu::Walk::ofCount(count));  // `count` lanes of 16 bits, whatever the type
}
template <typename T, bool isSetMask = true>
inline void And(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::And::types::has<T>, "And does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::And, T>(dst.operand(), src0.operand(), src1.operand(),
                                             detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void And(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::And::types::has<T>, "And does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::And, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: Or | V | isa | documented; count of elements of other types: inferred, the device takes as many of 16 bits
template <typename T>
inline void Or(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
               const int32_t& count) {
  npu_emu::vec::binary<npu_emu::isa::Or, uint16_t>(
      dst.operand(), src0.operand(), src1.operand(),
      npu_emu::Walk::ofCount(count));  // `count` lanes of 16 bits, whatever the type
}
template <typename T, bool isSetMask = true>
inline void Or(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
               const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Or::types::has<T>, "Or does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Or, T>(dst.operand(), src0.operand(), src1.operand(),
                                            detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Or(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
               const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Or::types::has<T>, "Or does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Or, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: AddRelu | V | isa | documented
template <typename T>
inline void AddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                    const int32_t& count) {
  static_assert(npu_emu::isa::AddRelu::types::has<T>, "AddRelu does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::AddRelu, T>(dst.operand(), src0.operand(), src1.operand(),
                                                 npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void AddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                    const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::AddRelu::types::has<T>, "AddRelu does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::AddRelu, T>(dst.operand(), src0.operand(), src1.operand(),
                                                 detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void AddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                    const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::AddRelu::types::has<T>, "AddRelu does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::AddRelu, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: SubRelu | V | isa | documented
template <typename T>
inline void SubRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                    const int32_t& count) {
  static_assert(npu_emu::isa::SubRelu::types::has<T>, "SubRelu does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::SubRelu, T>(dst.operand(), src0.operand(), src1.operand(),
                                                 npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void SubRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                    const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::SubRelu::types::has<T>, "SubRelu does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::SubRelu, T>(dst.operand(), src0.operand(), src1.operand(),
                                                 detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void SubRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[],
                    const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::SubRelu::types::has<T>, "SubRelu does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::SubRelu, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

namespace detail {

template <typename T, typename U>
inline void mulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const npu_emu::Walk& walk) {
  static_assert((std::is_same_v<T, U> && npu_emu::isa::MulAddDst::types::has<T>) ||
                    (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "MulAddDst does not support these element types on Atlas A2");
  if constexpr (std::is_same_v<T, U>)
    npu_emu::vec::ternary<npu_emu::isa::MulAddDst, T>(dst.operand(), src0.operand(), src1.operand(), walk);
  else npu_emu::vec::mulAddWide(dst.operand(), src0.operand(), src1.operand(), walk);
}

}  // namespace detail

// api: MulAddDst | V | half float; half->float | documented; one rounding: inferred
template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const int32_t& count) {
  detail::mulAddDst(dst, src0, src1, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  detail::mulAddDst(dst, src0, src1, detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  detail::mulAddDst(dst, src0, src1, detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

// api: FusedMulAdd | V | isa | documented; one rounding: inferred
template <typename T>
inline void FusedMulAdd(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                        const int32_t& count) {
  static_assert(npu_emu::isa::FusedMulAdd::types::has<T>, "FusedMulAdd does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAdd, T>(dst.operand(), src0.operand(), src1.operand(),
                                                      npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void FusedMulAdd(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                        uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::FusedMulAdd::types::has<T>, "FusedMulAdd does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAdd, T>(dst.operand(), src0.operand(), src1.operand(),
                                                      detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void FusedMulAdd(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                        uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::FusedMulAdd::types::has<T>, "FusedMulAdd does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAdd, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

// api: FusedMulAddRelu, MulAddRelu | V | isa | documented; one rounding: inferred
template <typename T>
inline void FusedMulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                            const int32_t& count) {
  static_assert(npu_emu::isa::FusedMulAddRelu::types::has<T>,
                "FusedMulAddRelu does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAddRelu, T>(dst.operand(), src0.operand(), src1.operand(),
                                                          npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void FusedMulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                            uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::FusedMulAddRelu::types::has<T>,
                "FusedMulAddRelu does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAddRelu, T>(
      dst.operand(), src0.operand(), src1.operand(), detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void FusedMulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                            uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::FusedMulAddRelu::types::has<T>,
                "FusedMulAddRelu does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAddRelu, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

template <typename T>
inline void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                       const int32_t& count) {
  static_assert(npu_emu::isa::FusedMulAddRelu::types::has<T>,
                "MulAddRelu does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAddRelu, T>(dst.operand(), src0.operand(), src1.operand(),
                                                          npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,
                       const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::FusedMulAddRelu::types::has<T>,
                "MulAddRelu does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAddRelu, T>(
      dst.operand(), src0.operand(), src1.operand(), detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void MulAddRelu(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                       uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::FusedMulAddRelu::types::has<T>,
                "MulAddRelu does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::FusedMulAddRelu, T>(
      dst.operand(), src0.operand(), src1.operand(),
      detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

}  // namespace AscendC
