// Element-wise instructions with one source tensor: dst = op(src).
#pragma once

#include "tensor.h"

namespace AscendC {

namespace npu_emu_detail {

#pragma GCC visibility push(default)
npu_emu::Walk unaryWalk(uint8_t repeats, const UnaryRepeatParams& params, bool setsMask);
npu_emu::Walk unaryWalk(uint64_t lanes, uint8_t repeats, const UnaryRepeatParams& params, bool setsMask);
npu_emu::Walk unaryWalk(const uint64_t* mask, uint8_t repeats, const UnaryRepeatParams& params, bool setsMask);
// The count form of the scalar instructions: without a mask of its own it is one repeat under the mask register.
npu_emu::Walk countWalk(int32_t count, bool setsMask);
#pragma GCC visibility pop

}  // namespace npu_emu_detail

// The overloads of an instruction with one source: for `count` elements, for the first `mask` lanes of each repeat, or
// for the lanes whose bits `mask` has set.
#define NPU_EMU_DECLARE_UNARY(name)                                                                                   \
  template <typename T>                                                                                               \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count) {                      \
    static_assert(npu_emu::isa::name::types::has<T>, #name " does not support this element type on Atlas A2");        \
    npu_emu::vec::unary<npu_emu::isa::name, T>(dst.npu_emu_operand(), src.npu_emu_operand(),                          \
                                               npu_emu::Walk::ofCount(count));                                        \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,     \
                   const UnaryRepeatParams& repeatParams) {                                                           \
    static_assert(npu_emu::isa::name::types::has<T>, #name " does not support this element type on Atlas A2");        \
    npu_emu::vec::unary<npu_emu::isa::name, T>(dst.npu_emu_operand(), src.npu_emu_operand(),                          \
                                               npu_emu_detail::unaryWalk(mask, repeatTime, repeatParams, isSetMask)); \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,   \
                   const UnaryRepeatParams& repeatParams) {                                                           \
    static_assert(npu_emu::isa::name::types::has<T>, #name " does not support this element type on Atlas A2");        \
    npu_emu::vec::unary<npu_emu::isa::name, T>(                                                                       \
        dst.npu_emu_operand(), src.npu_emu_operand(),                                                                 \
        npu_emu_detail::unaryWalk(static_cast<const uint64_t*>(mask), repeatTime, repeatParams, isSetMask));          \
  }

// api: Abs | V | isa | documented
NPU_EMU_DECLARE_UNARY(Abs)

// api: Exp | V | isa | documented; last bits: inferred
NPU_EMU_DECLARE_UNARY(Exp)

// api: Ln | V | isa | documented; last bits: inferred
NPU_EMU_DECLARE_UNARY(Ln)

// api: Sqrt | V | isa | documented
NPU_EMU_DECLARE_UNARY(Sqrt)

// api: Rsqrt | V | isa | documented; the coarse table: inferred from sample values
NPU_EMU_DECLARE_UNARY(Rsqrt)

// api: Reciprocal | V | isa | documented; the coarse table: inferred from sample values
NPU_EMU_DECLARE_UNARY(Reciprocal)

// api: Relu | V | isa | documented
NPU_EMU_DECLARE_UNARY(Relu)

// api: Not | V | isa | documented
NPU_EMU_DECLARE_UNARY(Not)

#undef NPU_EMU_DECLARE_UNARY

}  // namespace AscendC
