// Type conversion, fill and move inside UB.
#pragma once

#include "vector_unary.h"

namespace AscendC {

// api: Cast | V | isa | documented
template <typename T, typename U>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                 const uint32_t count) {
  static_assert(npu_emu::castIsLegal<T, U>, "Cast between these element types does not exist on Atlas A2");
  npu_emu::vec::cast<T, U>(dst.npu_emu_operand(), src.npu_emu_operand(), roundMode, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode, const uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::castIsLegal<T, U>, "Cast between these element types does not exist on Atlas A2");
  npu_emu::vec::cast<T, U>(dst.npu_emu_operand(), src.npu_emu_operand(), roundMode,
                           npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void Cast(const LocalTensor<T>& dst, const LocalTensor<U>& src, const RoundMode& roundMode,
                 const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams) {
  static_assert(npu_emu::castIsLegal<T, U>, "Cast between these element types does not exist on Atlas A2");
  npu_emu::vec::cast<T, U>(dst.npu_emu_operand(), src.npu_emu_operand(), roundMode,
                           npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

namespace npu_emu_detail {

// A float to an integer value in one of the round modes, and to half without ever landing on an even mantissa.
template <RoundMode roundMode>
inline float roundScalar(float value) {
  if constexpr (roundMode == RoundMode::CAST_FLOOR) return __builtin_floorf(value);
  else if constexpr (roundMode == RoundMode::CAST_CEIL) return __builtin_ceilf(value);
  else if constexpr (roundMode == RoundMode::CAST_ROUND)
    return __builtin_truncf(value) +
           (__builtin_fabsf(value - __builtin_truncf(value)) >= 0.5f ? __builtin_copysignf(1.0f, value) : 0.0f);
  else return __builtin_nearbyintf(value);
}

}  // namespace npu_emu_detail

// api: Cast (scalar), ScalarCast | S | float->half(ODD) float->int32_t(RINT FLOOR CEIL ROUND) | documented
template <typename T, typename U, RoundMode roundMode>
inline U Cast(T valueIn) {
  constexpr bool toHalf = std::is_same_v<T, float> && std::is_same_v<U, half> && roundMode == RoundMode::CAST_ODD;
  constexpr bool toInteger = std::is_same_v<T, float> && std::is_same_v<U, int32_t> &&
                             (roundMode == RoundMode::CAST_RINT || roundMode == RoundMode::CAST_FLOOR ||
                              roundMode == RoundMode::CAST_CEIL || roundMode == RoundMode::CAST_ROUND);
  static_assert(toHalf || toInteger,
                "the scalar Cast converts float to half (CAST_ODD) or to int32_t (CAST_RINT, CAST_FLOOR, CAST_CEIL, "
                "CAST_ROUND) on Atlas A2");
  npu_emu::scalarWork(1);
  if constexpr (toHalf) {
    return npu_emu::roundOddToHalf(valueIn);
  } else {
    float whole = npu_emu_detail::roundScalar<roundMode>(valueIn);
    if (whole != whole) return 0;
    return whole <= -2147483648.0f ? INT32_MIN : whole >= 2147483648.0f ? INT32_MAX : static_cast<int32_t>(whole);
  }
}
template <typename T, typename U, RoundMode roundMode>
inline U ScalarCast(T valueIn) {
  return Cast<T, U, roundMode>(valueIn);
}
// api: Cast (float, bfloat16_t) | S | float->bfloat16_t bfloat16_t->float | documented
inline bfloat16_t Cast(const float& fVal) { return bfloat16_t(fVal); }
inline float Cast(const bfloat16_t& bVal) { return bVal; }
// Of another number the vendor's compiler cannot tell which of the two is meant.
template <typename T, std::enable_if_t<std::is_arithmetic_v<T> && !std::is_same_v<T, float>, int> = 0>
void Cast(T number) = delete;

// api: Duplicate | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | documented
template <typename T>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count) {
  static_assert(npu_emu::isa::Fill::has<T>, "Duplicate does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(dst.npu_emu_operand(), scalarValue, npu_emu::Walk::ofCount(count));
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
                      const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
  static_assert(npu_emu::isa::Fill::has<T>, "Duplicate does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(
      dst.npu_emu_operand(), scalarValue,
      npu_emu_detail::unaryWalk(mask, repeatTime, {dstBlockStride, 1, dstRepeatStride, 8}, isSetMask));
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
                      const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
  static_assert(npu_emu::isa::Fill::has<T>, "Duplicate does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(dst.npu_emu_operand(), scalarValue,
                             npu_emu_detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime,
                                                       {dstBlockStride, 1, dstRepeatStride, 8}, isSetMask));
}

// api: Copy | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | documented
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,
                 const CopyRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "Copy does not support this element type on Atlas A2");
  npu_emu::Walk walk = {npu_emu::Walk::Repeats,
                        isSetMask,
                        repeatTime,
                        static_cast<uint32_t>(mask),
                        {0, 0},
                        {repeatParams.dstStride, repeatParams.srcStride, 1},
                        {repeatParams.dstRepeatSize, repeatParams.srcRepeatSize, 8}};
  npu_emu::maskOfLanes(mask, walk.mask);
  npu_emu::vec::copy<T>(dst.npu_emu_operand(), src.npu_emu_operand(), walk);
}

template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,
                 const CopyRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "Copy does not support this element type on Atlas A2");
  npu_emu::vec::copy<T>(dst.npu_emu_operand(), src.npu_emu_operand(),
                        {npu_emu::Walk::Repeats,
                         isSetMask,
                         repeatTime,
                         static_cast<uint32_t>(mask[0]),
                         {mask[0], mask[1]},
                         {repeatParams.dstStride, repeatParams.srcStride, 1},
                         {repeatParams.dstRepeatSize, repeatParams.srcRepeatSize, 8}});
}

// api: Brcb | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | documented
template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t repeatTime,
                 const BrcbRepeatParams& repeatParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "Brcb does not support this element type on Atlas A2");
  npu_emu::vec::brcb<T>(dst.npu_emu_operand(), src0.npu_emu_operand(), repeatTime, repeatParams.dstBlkStride,
                        repeatParams.dstRepStride);
}

// api: CreateVecIndex | S V | int16_t half int32_t float | documented; rounding of half: inferred
template <typename T>
inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count) {
  static_assert(npu_emu::isa::Arithmetic::has<T>, "CreateVecIndex does not support this element type on Atlas A2");
  npu_emu::vec::createVecIndex<T>(dst.npu_emu_operand(), firstValue, npu_emu::Walk::ofCount(count), false);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t repeatTime,
                           uint16_t dstBlkStride, uint8_t dstRepStride) {
  static_assert(npu_emu::isa::Arithmetic::has<T>, "CreateVecIndex does not support this element type on Atlas A2");
  npu_emu::vec::createVecIndex<T>(dst.npu_emu_operand(), firstValue,
                                  npu_emu_detail::unaryWalk(mask, repeatTime, {dstBlkStride, 1, dstRepStride, 8}, true),
                                  false);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], uint8_t repeatTime,
                           uint16_t dstBlkStride, uint8_t dstRepStride) {
  static_assert(npu_emu::isa::Arithmetic::has<T>, "CreateVecIndex does not support this element type on Atlas A2");
  npu_emu::vec::createVecIndex<T>(dst.npu_emu_operand(), firstValue,
                                  npu_emu_detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime,
                                                            {dstBlkStride, 1, dstRepStride, 8}, true),
                                  true);
}

// api: Arange, ArithProgression | S V | int16_t half int32_t float | documented; whole blocks are written: inferred
template <typename T>
inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count) {
  static_assert(npu_emu::isa::Arithmetic::has<T>, "Arange does not support this element type on Atlas A2");
  npu_emu::vec::progression<T>(dst.npu_emu_operand(), firstValue, diffValue, count);
}
template <typename T>
inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count) {
  static_assert(npu_emu::isa::Arithmetic::has<T>, "ArithProgression does not support this element type on Atlas A2");
  npu_emu::vec::progression<T>(dst.npu_emu_operand(), firstValue, diffValue, count);
}

}  // namespace AscendC
