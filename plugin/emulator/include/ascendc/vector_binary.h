// Element-wise instructions with two source tensors: dst = src0 op src1.
#pragma once

#include "tensor.h"

namespace AscendC {

namespace npu_emu_detail {

#pragma GCC visibility push(default)
npu_emu::Walk binaryWalk(uint8_t repeats, const BinaryRepeatParams& params, bool setsMask);
npu_emu::Walk binaryWalk(uint64_t lanes, uint8_t repeats, const BinaryRepeatParams& params, bool setsMask);
npu_emu::Walk binaryWalk(const uint64_t* mask, uint8_t repeats, const BinaryRepeatParams& params, bool setsMask);
#pragma GCC visibility pop

}  // namespace npu_emu_detail

// The overloads of an instruction with two sources: for `count` elements, for the first `mask` lanes of each repeat, or
// for the lanes whose bits `mask` has set. `issue` is the function of the runtime, `rule` the declaration in isa.h; the
// overload with a count takes its elements as `Counted`.
#define NPU_EMU_DECLARE_BINARY(name, issue, rule, Counted)                                                             \
  template <typename T>                                                                                                \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                  \
                   const int32_t& count) {                                                                             \
    static_assert(npu_emu::isa::rule::types::has<Counted>, #name " does not support this element type on Atlas A2");   \
    npu_emu::vec::issue<npu_emu::isa::rule, Counted>(dst.npu_emu_operand(), src0.npu_emu_operand(),                    \
                                                     src1.npu_emu_operand(), npu_emu::Walk::ofCount(count));           \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,   \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                 \
    static_assert(npu_emu::isa::rule::types::has<T>, #name " does not support this element type on Atlas A2");         \
    npu_emu::vec::issue<npu_emu::isa::rule, T>(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),  \
                                               npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask)); \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[], \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {                                 \
    static_assert(npu_emu::isa::rule::types::has<T>, #name " does not support this element type on Atlas A2");         \
    npu_emu::vec::issue<npu_emu::isa::rule, T>(                                                                        \
        dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(),                                         \
        npu_emu_detail::binaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));          \
  }

// api: Add | V | isa | documented
NPU_EMU_DECLARE_BINARY(Add, binary, Add, T)

// api: Sub | V | isa | documented
NPU_EMU_DECLARE_BINARY(Sub, binary, Sub, T)

// api: Mul | V | isa | documented
NPU_EMU_DECLARE_BINARY(Mul, binary, Mul, T)

// api: Div | V | isa | documented
NPU_EMU_DECLARE_BINARY(Div, binary, Div, T)

// api: Max | V | isa | documented; NaN wins, +0 is greater than -0: inferred
NPU_EMU_DECLARE_BINARY(Max, binary, Max, T)

// api: Min | V | isa | documented; NaN wins, +0 is greater than -0: inferred
NPU_EMU_DECLARE_BINARY(Min, binary, Min, T)

// api: And | V | isa | documented; count of elements of other types: inferred, the device takes as many of 16 bits
NPU_EMU_DECLARE_BINARY(And, binary, And, uint16_t)

// api: Or | V | isa | documented; count of elements of other types: inferred, the device takes as many of 16 bits
NPU_EMU_DECLARE_BINARY(Or, binary, Or, uint16_t)

// api: AddRelu | V | isa | documented
NPU_EMU_DECLARE_BINARY(AddRelu, binary, AddRelu, T)

// api: SubRelu | V | isa | documented
NPU_EMU_DECLARE_BINARY(SubRelu, binary, SubRelu, T)

namespace npu_emu_detail {

template <typename T, typename U>
inline void mulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const npu_emu::Walk& walk) {
  static_assert((std::is_same_v<T, U> && npu_emu::isa::MulAddDst::types::has<T>) ||
                    (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "MulAddDst does not support these element types on Atlas A2");
  if constexpr (std::is_same_v<T, U>)
    npu_emu::vec::ternary<npu_emu::isa::MulAddDst, T>(dst.npu_emu_operand(), src0.npu_emu_operand(),
                                                      src1.npu_emu_operand(), walk);
  else npu_emu::vec::mulAddWide(dst.npu_emu_operand(), src0.npu_emu_operand(), src1.npu_emu_operand(), walk);
}

}  // namespace npu_emu_detail

// api: MulAddDst | V | half float; half->float | documented; one rounding: inferred
template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const int32_t& count) {
  npu_emu_detail::mulAddDst(dst, src0, src1, npu_emu::Walk::ofCount(count));
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::mulAddDst(dst, src0, src1, npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams) {
  npu_emu_detail::mulAddDst(dst, src0, src1, npu_emu_detail::binaryWalk(mask, repeatTime, repeatParams, isSetMask));
}

// api: FusedMulAdd | V | isa | documented; one rounding: inferred
NPU_EMU_DECLARE_BINARY(FusedMulAdd, ternary, FusedMulAdd, T)

// api: FusedMulAddRelu, MulAddRelu | V | isa | documented; one rounding: inferred
NPU_EMU_DECLARE_BINARY(FusedMulAddRelu, ternary, FusedMulAddRelu, T)
NPU_EMU_DECLARE_BINARY(MulAddRelu, ternary, FusedMulAddRelu, T)

#undef NPU_EMU_DECLARE_BINARY

}  // namespace AscendC
