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

// api: vadd, vsub, vmul, vdiv, vmax, vmin, vand | V | those of Add and the like | inferred
template <typename T>
inline void vadd(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::Add>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
template <typename T>
inline void vsub(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::Sub>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
template <typename T>
inline void vmul(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::Mul>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
template <typename T>
inline void vdiv(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::Div>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
template <typename T>
inline void vmax(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::Max>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
template <typename T>
inline void vmin(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::Min>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}
template <typename T>
inline void vand(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlock,
                 uint8_t src0Block, uint8_t src1Block, uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) {
  npu_emu::binaryRaw<npu_emu::isa::And>(
      dst, src0, src1,
      npu_emu::registerWalk(repeat, dstBlock, src0Block, src1Block, dstRepeat, src0Repeat, src1Repeat));
}

// api: vabs, vexp, vln, vsqrt, vrsqrt, vrec, vrelu, vnot | V | those of Abs and the like | inferred
template <typename T>
inline void vabs(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                 uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Abs>(dst, src,
                                       npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vexp(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                 uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Exp>(dst, src,
                                       npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vln(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Ln>(dst, src,
                                      npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vsqrt(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                  uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Sqrt>(dst, src,
                                        npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vrsqrt(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                   uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Rsqrt>(dst, src,
                                         npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vrec(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                 uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Reciprocal>(
      dst, src, npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vrelu(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                  uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Relu>(dst, src,
                                        npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vnot(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock,
                 uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::unaryRaw<npu_emu::isa::Not>(dst, src,
                                       npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}

// api: vadds, vmuls, vmaxs, vmins | V | those of Adds and the like | inferred
template <typename T>
inline void vadds(__ubuf__ T* dst, __ubuf__ T* src, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlock,
                  uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::scalarRaw<npu_emu::isa::Adds>(dst, src, value,
                                         npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vmuls(__ubuf__ T* dst, __ubuf__ T* src, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlock,
                  uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::scalarRaw<npu_emu::isa::Muls>(dst, src, value,
                                         npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vmaxs(__ubuf__ T* dst, __ubuf__ T* src, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlock,
                  uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::scalarRaw<npu_emu::isa::Maxs>(dst, src, value,
                                         npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}
template <typename T>
inline void vmins(__ubuf__ T* dst, __ubuf__ T* src, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlock,
                  uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) {
  npu_emu::scalarRaw<npu_emu::isa::Mins>(dst, src, value,
                                         npu_emu::registerWalk(repeat, dstBlock, srcBlock, 1, dstRepeat, srcRepeat, 8));
}

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
