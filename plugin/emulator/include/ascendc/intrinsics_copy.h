// Builtins of the compiler that move data and order cores, which kernels use beside the API.
#pragma once

#include "intrinsics.h"

namespace npu_emu {

inline GmAddress gmAt(const __gm__ void* address) { return (GmAddress)(address); }

inline void loadPadded(void* dst, const __gm__ void* src, uint16_t bursts, uint32_t bytes, uint8_t left, uint8_t right,
                       uint32_t srcGap, uint32_t dstGap, uint8_t elementBytes) {
  // without a value of its own a padding has that of the register
  dma::loadGmPad(operandAt(dst), gmAt(src), bursts, bytes, srcGap, dstGap, {false, left, right, elementBytes, 0});
}

template <typename T>
inline void keepByPattern(T* dst, T* src, T* pattern, uint16_t repeat, uint8_t blockStride, uint8_t builtIn,
                          uint16_t repeatStride, uint8_t patternStride) {
  const Operand bits = operandAt(pattern);
  vec::keep(operandAt(dst), operandAt(src),
            {builtIn == 0 ? &bits : nullptr, builtIn, false, 0, repeat, blockStride, repeatStride, patternStride},
            sizeof(T));
}

// Of the element type that was set before.
inline void setAtomicOperation(vec::Atomic operation) {
  const uint16_t type = dma::atomicConfig();
  if (type == 0)
    deviceTrap("set_atomic_add, set_atomic_max and set_atomic_min follow the element type, as in set_atomic_f32");
  vec::setAtomic(operation, static_cast<vec::AtomicType>(type - 1));
}

}  // namespace npu_emu

// api: copy_gm_to_ubuf, copy_ubuf_to_gm | MTE2 | bytes | inferred: DataCopy, in blocks of 32 bytes
inline void copy_gm_to_ubuf(__ubuf__ void* dst, const __gm__ void* src, uint8_t, uint16_t bursts, uint16_t blocks,
                            uint16_t srcGap, uint16_t dstGap) {
  npu_emu::dma::loadGm(npu_emu::operandAt(dst), npu_emu::gmAt(src), bursts, blocks * 32u, srcGap, dstGap);
}
inline void copy_ubuf_to_gm(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t bursts, uint16_t blocks,
                            uint16_t srcGap, uint16_t dstGap) {
  npu_emu::dma::storeGm(npu_emu::gmAt(dst), npu_emu::operandAt(src), bursts, blocks * 32u, srcGap, dstGap);
}

// api: copy_gm_to_ubuf_align_b8, copy_gm_to_ubuf_align_b16, copy_gm_to_ubuf_align_b32 | MTE2 | bytes | inferred:
//   DataCopyPad, whose padding has the value of SetPadValue
inline void copy_gm_to_ubuf_align_b8(__ubuf__ void* dst, const __gm__ void* src, uint8_t, uint16_t bursts,
                                     uint32_t bytes, uint8_t left, uint8_t right, uint32_t srcGap, uint32_t dstGap) {
  npu_emu::loadPadded(dst, src, bursts, bytes, left, right, srcGap, dstGap, 1);
}
inline void copy_gm_to_ubuf_align_b16(__ubuf__ void* dst, const __gm__ void* src, uint8_t, uint16_t bursts,
                                      uint32_t bytes, uint8_t left, uint8_t right, uint32_t srcGap, uint32_t dstGap) {
  npu_emu::loadPadded(dst, src, bursts, bytes, left, right, srcGap, dstGap, 2);
}
inline void copy_gm_to_ubuf_align_b32(__ubuf__ void* dst, const __gm__ void* src, uint8_t, uint16_t bursts,
                                      uint32_t bytes, uint8_t left, uint8_t right, uint32_t srcGap, uint32_t dstGap) {
  npu_emu::loadPadded(dst, src, bursts, bytes, left, right, srcGap, dstGap, 4);
}
// api: copy_ubuf_to_gm_align_b8, copy_ubuf_to_gm_align_b16, copy_ubuf_to_gm_align_b32 | MTE3 | bytes | inferred:
//   DataCopyPad
inline void copy_ubuf_to_gm_align_b8(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t bursts, uint32_t bytes,
                                     uint8_t, uint8_t, uint32_t srcGap, uint32_t dstGap) {
  npu_emu::dma::storeGmPad(npu_emu::gmAt(dst), npu_emu::operandAt(src), bursts, bytes, srcGap, dstGap);
}
inline void copy_ubuf_to_gm_align_b16(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t bursts, uint32_t bytes,
                                      uint8_t, uint8_t, uint32_t srcGap, uint32_t dstGap) {
  npu_emu::dma::storeGmPad(npu_emu::gmAt(dst), npu_emu::operandAt(src), bursts, bytes, srcGap, dstGap);
}
inline void copy_ubuf_to_gm_align_b32(__gm__ void* dst, __ubuf__ void* src, uint8_t, uint16_t bursts, uint32_t bytes,
                                      uint8_t, uint8_t, uint32_t srcGap, uint32_t dstGap) {
  npu_emu::dma::storeGmPad(npu_emu::gmAt(dst), npu_emu::operandAt(src), bursts, bytes, srcGap, dstGap);
}

// api: vreducev2 | V | uint16_t uint32_t | inferred: GatherMask that leaves the mask register alone; pattern 0 takes
//   the bits of `pattern`
inline void vreducev2(__ubuf__ uint16_t* dst, __ubuf__ uint16_t* src, __ubuf__ uint16_t* pattern, uint16_t repeat,
                      uint8_t blockStride, uint8_t builtIn, uint16_t repeatStride, uint8_t patternStride) {
  npu_emu::keepByPattern(dst, src, pattern, repeat, blockStride, builtIn, repeatStride, patternStride);
}
inline void vreducev2(__ubuf__ uint32_t* dst, __ubuf__ uint32_t* src, __ubuf__ uint32_t* pattern, uint16_t repeat,
                      uint8_t blockStride, uint8_t builtIn, uint16_t repeatStride, uint8_t patternStride) {
  npu_emu::keepByPattern(dst, src, pattern, repeat, blockStride, builtIn, repeatStride, patternStride);
}

// api: set_atomic_none, set_atomic_add, set_atomic_max, set_atomic_min | S | - | inferred
inline void set_atomic_none() { AscendC::SetAtomicNone(); }
inline void set_atomic_add() { npu_emu::setAtomicOperation(npu_emu::vec::Atomic::Add); }
inline void set_atomic_max() { npu_emu::setAtomicOperation(npu_emu::vec::Atomic::Max); }
inline void set_atomic_min() { npu_emu::setAtomicOperation(npu_emu::vec::Atomic::Min); }
// api: set_atomic_f32, set_atomic_f16, set_atomic_bf16, set_atomic_s32, set_atomic_s16, set_atomic_s8 | S | - |
//   inferred: a sum until another operation is set
inline void set_atomic_f32() { AscendC::SetAtomicType<float>(); }
inline void set_atomic_f16() { AscendC::SetAtomicType<half>(); }
inline void set_atomic_bf16() { AscendC::SetAtomicType<bfloat16_t>(); }
inline void set_atomic_s32() { AscendC::SetAtomicType<int32_t>(); }
inline void set_atomic_s16() { AscendC::SetAtomicType<int16_t>(); }
inline void set_atomic_s8() { AscendC::SetAtomicType<int8_t>(); }

// api: ffts_cross_core_sync, wait_flag_dev | the pipe given | - | inferred: CrossCoreSetFlag with the mode in bits 4
//   and 5 and the flag in bits 8 to 11
inline void ffts_cross_core_sync(pipe_t pipe, uint64_t config) {
  npu_emu::crossCoreSet(static_cast<uint8_t>(config >> 4 & 3), pipe, static_cast<uint16_t>(config >> 8 & 15));
}
inline void wait_flag_dev(int64_t flag) { npu_emu::crossCoreWait(static_cast<uint16_t>(flag)); }

// api: PRELOAD | - | - | inferred: no effect here, where there is no instruction cache
#define PRELOAD(length) icache_preload(length)
