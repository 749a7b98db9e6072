// Builtins of the compiler that compute with the mask register, which kernels use beside the API.
#pragma once

#include "intrinsics.h"

namespace npu_emu {

template <typename Op, typename T>
inline void binaryRaw(T* dst, T* src0, T* src1, const Walk& walk) {
  static_assert(Op::types::template has<T>, "this builtin does not support this element type on Atlas A2");
  vec::binary<Op, T>(operandAt(dst), operandAt(src0), operandAt(src1), walk);
}
template <typename Op, typename T>
inline void unaryRaw(T* dst, T* src, const Walk& walk) {
  static_assert(Op::types::template has<T>, "this builtin does not support this element type on Atlas A2");
  vec::unary<Op, T>(operandAt(dst), operandAt(src), walk);
}
template <typename Op, typename T>
inline void scalarRaw(T* dst, T* src, T value, const Walk& walk) {
  static_assert(Op::types::template has<T>, "this builtin does not support this element type on Atlas A2");
  vec::scalar<Op, T>(operandAt(dst), operandAt(src), value, walk);
}

}  // namespace npu_emu

// Builtins with two sources, with one, and with one and a scalar. `rule` is the declaration in isa.h.
#define NPU_EMU_DECLARE_BINARY_BUILTIN(name, rule)                                                                    \
  template <typename T>                                                                                               \
  inline void name(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,             \
                   uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) { \
    npu_emu::binaryRaw<npu_emu::isa::rule>(                                                                           \
        dst, src0, src1,                                                                                              \
        npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));            \
  }
#define NPU_EMU_DECLARE_UNARY_BUILTIN(name, rule)                                                          \
  template <typename T>                                                                                    \
  inline void name(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, \
                   uint16_t dstRepeat, uint16_t srcRepeat) {                                               \
    npu_emu::unaryRaw<npu_emu::isa::rule>(                                                                 \
        dst, src, npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));          \
  }
#define NPU_EMU_DECLARE_SCALAR_BUILTIN(name, rule)                                                                   \
  template <typename T>                                                                                              \
  inline void name(__ubuf__ T* dst, __ubuf__ T* src, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlock, \
                   uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) {                                      \
    npu_emu::scalarRaw<npu_emu::isa::rule>(                                                                          \
        dst, src, value, npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));             \
  }

// api: vadd, vsub, vmul, vdiv, vmax, vmin, vand | V | those of Add and the like | inferred
NPU_EMU_DECLARE_BINARY_BUILTIN(vadd, Add)
NPU_EMU_DECLARE_BINARY_BUILTIN(vsub, Sub)
NPU_EMU_DECLARE_BINARY_BUILTIN(vmul, Mul)
NPU_EMU_DECLARE_BINARY_BUILTIN(vdiv, Div)
NPU_EMU_DECLARE_BINARY_BUILTIN(vmax, Max)
NPU_EMU_DECLARE_BINARY_BUILTIN(vmin, Min)
NPU_EMU_DECLARE_BINARY_BUILTIN(vand, And)

// api: vabs, vexp, vln, vsqrt, vrsqrt, vrec, vrelu, vnot | V | those of Abs and the like | inferred
NPU_EMU_DECLARE_UNARY_BUILTIN(vabs, Abs)
NPU_EMU_DECLARE_UNARY_BUILTIN(vexp, Exp)
NPU_EMU_DECLARE_UNARY_BUILTIN(vln, Ln)
NPU_EMU_DECLARE_UNARY_BUILTIN(vsqrt, Sqrt)
NPU_EMU_DECLARE_UNARY_BUILTIN(vrsqrt, Rsqrt)
NPU_EMU_DECLARE_UNARY_BUILTIN(vrec, Reciprocal)
NPU_EMU_DECLARE_UNARY_BUILTIN(vrelu, Relu)
NPU_EMU_DECLARE_UNARY_BUILTIN(vnot, Not)

// api: vadds, vmuls, vmaxs, vmins | V | those of Adds and the like | inferred
NPU_EMU_DECLARE_SCALAR_BUILTIN(vadds, Adds)
NPU_EMU_DECLARE_SCALAR_BUILTIN(vmuls, Muls)
NPU_EMU_DECLARE_SCALAR_BUILTIN(vmaxs, Maxs)
NPU_EMU_DECLARE_SCALAR_BUILTIN(vmins, Mins)

#undef NPU_EMU_DECLARE_BINARY_BUILTIN
#undef NPU_EMU_DECLARE_UNARY_BUILTIN
#undef NPU_EMU_DECLARE_SCALAR_BUILTIN

// api: vaxpy, vmla | V | half float | inferred: Axpy and MulAddDst
template <typename T>
inline void vaxpy(__ubuf__ T* dst, __ubuf__ T* src, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlock,
                  uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) {
  static_assert(npu_emu::isa::Axpy::types::has<T>, "vaxpy does not support this element type on Atlas A2");
  npu_emu::vec::scalarAccumulate<npu_emu::isa::Axpy, T>(
      npu_emu::operandAt(dst), npu_emu::operandAt(src), value,
      npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vmla(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  static_assert(npu_emu::isa::MulAddDst::types::has<T>, "vmla does not support this element type on Atlas A2");
  npu_emu::vec::ternary<npu_emu::isa::MulAddDst, T>(
      npu_emu::operandAt(dst), npu_emu::operandAt(src0), npu_emu::operandAt(src1),
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
