// Compound instructions whose result has another type than their sources, and the quantisation parameters they use.
#pragma once

#include "vector_cast.h"

namespace AscendC {

// The overloads of an instruction with two sources and a result of another type.
#define NPU_EMU_DECLARE_BINARY_CAST(name)                                                                              \
  template <typename T, typename U>                                                                                    \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,                  \
                   uint32_t count) {                                                                                   \
    static_assert(npu_emu::isa::name::supports<T, U>, #name " does not support these element types on Atlas A2");      \
    npu_emu::vec::binaryCast<npu_emu::isa::name, T, U>(dst.npu_emu_operand(), src0.npu_emu_operand(),                  \
                                                       src1.npu_emu_operand(), npu_emu::Walk::ofCount(count));         \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask,   \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                 \
    static_assert(npu_emu::isa::name::supports<T, U>, #name " does not support these element types on Atlas A2");      \
    npu_emu::vec::binaryCast<npu_emu::isa::name, T, U>(                                                                \
        dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),                                         \
        npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));                                        \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask[], \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                 \
    static_assert(npu_emu::isa::name::supports<T, U>, #name " does not support these element types on Atlas A2");      \
    npu_emu::vec::binaryCast<npu_emu::isa::name, T, U>(                                                                \
        dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),                                         \
        npu_emu_detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));          \
  }

// api: MulCast | V | half->int8_t half->uint8_t | documented; rounding to nearest even: inferred
NPU_EMU_DECLARE_BINARY_CAST(MulCast)

// api: AddReluCast | V | half->int8_t int16_t->int8_t float->half | documented; rounding to nearest even: inferred
NPU_EMU_DECLARE_BINARY_CAST(AddReluCast)

// api: SubReluCast | V | half->int8_t int16_t->int8_t float->half | documented; rounding to nearest even: inferred
NPU_EMU_DECLARE_BINARY_CAST(SubReluCast)

#undef NPU_EMU_DECLARE_BINARY_CAST

// api: AddDeqRelu | V | int32_t->half | documented
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       const int32_t& count) {
  npu_emu::vec::addDeqRelu(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
                           npu_emu::Walk::ofCount(count));
}
template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu::vec::addDeqRelu(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
                           npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu::vec::addDeqRelu(
      dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
      npu_emu_detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                       const int32_t& count) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>,
                "AddDeqRelu does not support these element types on Atlas A2");
  npu_emu::vec::addDeqRelu(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
                           npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask,
                       const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>,
                "AddDeqRelu does not support these element types on Atlas A2");
  npu_emu::vec::addDeqRelu(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
                           npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                       uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  static_assert(std::is_same_v<T, half> && std::is_same_v<U, int32_t>,
                "AddDeqRelu does not support these element types on Atlas A2");
  npu_emu::vec::addDeqRelu(
      dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),
      npu_emu_detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));
}

namespace npu_emu_detail {

template <typename T, typename U, bool isVecDeq, bool halfBlock>
inline void castDequant(const LocalTensor<T>& dst, const LocalTensor<U>& src, const npu_emu::Walk& walk) {
  static_assert((std::is_same_v<U, int16_t> && npu_emu::Types<int8_t, uint8_t>::has<T>) ||
                    (std::is_same_v<U, int32_t> && std::is_same_v<T, half>),
                "CastDequant does not support these element types on Atlas A2");
  if constexpr (std::is_same_v<U, int32_t>)
    npu_emu::vec::cast<half, int32_t>(dst.npu_emu_operand(), src.npu_emu_operand(), RoundMode::CAST_RINT, walk);
  else npu_emu::vec::castDequant<T>(dst.npu_emu_operand(), src.npu_emu_operand(), isVecDeq, halfBlock, walk);
}

}  // namespace npu_emu_detail

// The overloads of the conversion, which has two names.
#define NPU_EMU_DECLARE_CAST_DEQUANT(name)                                                                          \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                                    \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count) {                    \
    npu_emu_detail::castDequant<T, U, isVecDeq, halfBlock>(dst, src, npu_emu::Walk::ofCount(count));                \
  }                                                                                                                 \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>             \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask, uint8_t repeatTime,    \
                   const UnaryRepeatParams& repeatParams) {                                                         \
    npu_emu_detail::castDequant<T, U, isVecDeq, halfBlock>(                                                         \
        dst, src, npu_emu_detail::unaryWalk(static_cast<uint64_t>(mask), repeatTime, repeatParams, isSetMask));     \
  }                                                                                                                 \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>             \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[], uint8_t repeatTime, \
                   const UnaryRepeatParams& repeatParams) {                                                         \
    npu_emu_detail::castDequant<T, U, isVecDeq, halfBlock>(                                                         \
        dst, src, npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask));                            \
  }

// api: CastDeq, CastDequant | V | int16_t->int8_t int16_t->uint8_t int32_t->half | documented; order of rounding and
//   offset: guessed
NPU_EMU_DECLARE_CAST_DEQUANT(CastDequant)
NPU_EMU_DECLARE_CAST_DEQUANT(CastDeq)

#undef NPU_EMU_DECLARE_CAST_DEQUANT

namespace npu_emu_detail {

// The layout of the register: scale in bits 0..31, 9 bits of offset from bit 37, the sign in bit 46.
inline uint64_t deqConfig(float scale, int16_t offset, bool signMode) {
  uint32_t bits;
  __builtin_memcpy(&bits, &scale, sizeof bits);
  return bits | (static_cast<uint64_t>(offset) & 0x1ff) << 37 | static_cast<uint64_t>(signMode) << 46;
}

}  // namespace npu_emu_detail

// api: SetDeqScale | S | half; float offset sign; uint64_t tensor with VdeqInfo | documented
inline void SetDeqScale(half scale) { npu_emu::vec::setDeqScale(static_cast<float>(scale)); }
inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
  npu_emu::vec::setDeqConfig(npu_emu_detail::deqConfig(scale, offset, signMode));
}
template <typename T>
inline void SetDeqScale(const LocalTensor<T>& vdeq, const VdeqInfo& vdeqInfo) {
  static_assert(sizeof(T) == 8, "SetDeqScale takes a LocalTensor<uint64_t> for the 16 sets of parameters");
  for (uint32_t i = 0; i < static_cast<uint32_t>(VDEQ_TENSOR_SIZE); ++i)
    vdeq.SetValue(i,
                  npu_emu_detail::deqConfig(vdeqInfo.vdeqScale[i], vdeqInfo.vdeqOffset[i], vdeqInfo.vdeqSignMode[i]));
  npu_emu::vec::setDeqVector(vdeq.npu_emu_operand());
}

}  // namespace AscendC
