// Raw intrinsics that kernels use beside the API. Addresses are plain pointers; lanes come from the mask register.
#pragma once

#include "mask.h"
#include "sync.h"
#include "system.h"
#include "vector_reduce.h"
#include "vector_transpose.h"

// Registers of eight addresses each; transpositions take a pair of them.
enum ub_addr8_t { VA0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

// api: __in_pipe__, __out_pipe__, __inout_pipe__ | - | - | inferred: no effect here, where every instruction names its
//   pipe
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)

namespace npu_emu {

inline Operand operandAt(const void* address) {
  return {static_cast<uint8_t*>(const_cast<void*>(address)), 0, AscendC::TPosition::VECCALC};
}

// The lanes of the mask register, walked with strides.
inline Walk registerWalk(uint32_t repeats, uint32_t dstBlock, uint32_t src0Block, uint32_t src1Block,
                         uint32_t dstRepeat, uint32_t src0Repeat, uint32_t src1Repeat) {
  auto narrow = [](uint32_t stride) { return static_cast<uint16_t>(stride); };
  return {Walk::Repeats,
          false,
          narrow(repeats),
          0,
          {0, 0},
          {narrow(dstBlock), narrow(src0Block), narrow(src1Block)},
          {narrow(dstRepeat), narrow(src0Repeat), narrow(src1Repeat)}};
}

constexpr AscendC::HardEvent eventBetween(pipe_t from, pipe_t to) {
  using Event = AscendC::HardEvent;
  struct Order {
    pipe_t from, to;
    Event event;
  };
  constexpr Order orders[] = {
      {PIPE_MTE2, PIPE_MTE1, Event::MTE2_MTE1},
      {PIPE_MTE1, PIPE_MTE2, Event::MTE1_MTE2},
      {PIPE_MTE1, PIPE_M, Event::MTE1_M},
      {PIPE_M, PIPE_MTE1, Event::M_MTE1},
      {PIPE_MTE2, PIPE_V, Event::MTE2_V},
      {PIPE_V, PIPE_MTE2, Event::V_MTE2},
      {PIPE_MTE3, PIPE_V, Event::MTE3_V},
      {PIPE_V, PIPE_MTE3, Event::V_MTE3},
      {PIPE_M, PIPE_V, Event::M_V},
      {PIPE_V, PIPE_M, Event::V_M},
      {PIPE_V, PIPE_V, Event::V_V},
      {PIPE_MTE3, PIPE_MTE1, Event::MTE3_MTE1},
      {PIPE_MTE1, PIPE_MTE3, Event::MTE1_MTE3},
      {PIPE_MTE1, PIPE_V, Event::MTE1_V},
      {PIPE_MTE2, PIPE_M, Event::MTE2_M},
      {PIPE_M, PIPE_MTE2, Event::M_MTE2},
      {PIPE_V, PIPE_MTE1, Event::V_MTE1},
      {PIPE_M, PIPE_FIX, Event::M_FIX},
      {PIPE_FIX, PIPE_M, Event::FIX_M},
      {PIPE_MTE3, PIPE_MTE2, Event::MTE3_MTE2},
      {PIPE_MTE2, PIPE_MTE3, Event::MTE2_MTE3},
      {PIPE_S, PIPE_V, Event::S_V},
      {PIPE_V, PIPE_S, Event::V_S},
      {PIPE_S, PIPE_MTE2, Event::S_MTE2},
      {PIPE_MTE2, PIPE_S, Event::MTE2_S},
      {PIPE_S, PIPE_MTE3, Event::S_MTE3},
      {PIPE_MTE3, PIPE_S, Event::MTE3_S},
      {PIPE_MTE2, PIPE_FIX, Event::MTE2_FIX},
      {PIPE_FIX, PIPE_MTE2, Event::FIX_MTE2},
      {PIPE_FIX, PIPE_S, Event::FIX_S},
      {PIPE_M, PIPE_S, Event::M_S},
      {PIPE_FIX, PIPE_MTE3, Event::FIX_MTE3},
      {PIPE_MTE1, PIPE_FIX, Event::MTE1_FIX},
      {PIPE_FIX, PIPE_MTE1, Event::FIX_MTE1},
      {PIPE_FIX, PIPE_FIX, Event::FIX_FIX},
  };
  for (const Order& order : orders)
    if (order.from == from && order.to == to) return order.event;
  return Event::MAX;
}

template <typename T>
inline void accumulateOrReduce(T* dst, T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,
                               uint16_t srcRepeatStride, bool accumulates) {
  Walk walk = registerWalk(repeat, 1, srcBlockStride, 1, dstRepeatStride, srcRepeatStride, 8);
  if (accumulates) vec::accumulate<T>(operandAt(src), walk);
  else
    vec::reduceRepeat<T>(vec::Reduction::Sum, operandAt(dst), operandAt(src), walk,
                         AscendC::ReduceOrder::ORDER_ONLY_VALUE);
}

template <typename T>
inline void reduceBlockRaw(vec::Reduction kind, T* dst, T* src, uint8_t repeat, uint16_t dstRepeatStride,
                           uint16_t srcBlockStride, uint16_t srcRepeatStride) {
  AscendC::npu_emu_detail::checkReduce<T>();
  vec::reduceBlock<T>(kind, operandAt(dst), operandAt(src),
                      registerWalk(repeat, 1, srcBlockStride, 1, dstRepeatStride, srcRepeatStride, 8));
}

}  // namespace npu_emu

// api: set_flag, wait_flag | S | - | documented
inline void set_flag(pipe_t from, pipe_t to, event_t id) { npu_emu::setFlag(npu_emu::eventBetween(from, to), id); }
inline void wait_flag(pipe_t from, pipe_t to, event_t id) { npu_emu::waitFlag(npu_emu::eventBetween(from, to), id); }

// api: set_mask_norm, set_mask_count, set_vector_mask | S | - | documented
inline void set_mask_norm() { npu_emu::vec::setMaskCounter(false); }
inline void set_mask_count() { npu_emu::vec::setMaskCounter(true); }
inline void set_vector_mask(uint64_t high, uint64_t low) { npu_emu::vec::setMask(high, low); }

// api: vcadd | V | half float | inferred: with the flag set only the register of GetAccVal is written
inline void vcadd(__ubuf__ half* dst, __ubuf__ half* src, uint8_t repeat, uint16_t dstRepeatStride,
                  uint16_t srcBlockStride, uint16_t srcRepeatStride, bool mode = false) {
  npu_emu::accumulateOrReduce<half>(dst, src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, mode);
}
inline void vcadd(__ubuf__ float* dst, __ubuf__ float* src, uint8_t repeat, uint16_t dstRepeatStride,
                  uint16_t srcBlockStride, uint16_t srcRepeatStride, bool mode = false) {
  npu_emu::accumulateOrReduce<float>(dst, src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, mode);
}

// api: vcgadd, vcgmax, vcgmin | V | half float | inferred
template <typename T>
inline void vcgadd(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,
                   uint16_t srcRepeatStride) {
  npu_emu::reduceBlockRaw(npu_emu::vec::Reduction::Sum, dst, src, repeat, dstRepeatStride, srcBlockStride,
                          srcRepeatStride);
}
template <typename T>
inline void vcgmax(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,
                   uint16_t srcRepeatStride) {
  npu_emu::reduceBlockRaw(npu_emu::vec::Reduction::Max, dst, src, repeat, dstRepeatStride, srcBlockStride,
                          srcRepeatStride);
}
template <typename T>
inline void vcgmin(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride, uint16_t srcBlockStride,
                   uint16_t srcRepeatStride) {
  npu_emu::reduceBlockRaw(npu_emu::vec::Reduction::Min, dst, src, repeat, dstRepeatStride, srcBlockStride,
                          srcRepeatStride);
}

// api: get_acc_val, get_max_min_cnt, get_rsvd_cnt, get_vms4_sr | S | - | inferred
inline int64_t get_acc_val() { return static_cast<int64_t>(npu_emu::vec::sumRegister()); }
inline int64_t get_max_min_cnt() { return static_cast<int64_t>(npu_emu::vec::extremeRegister()); }
inline int64_t get_rsvd_cnt() { return static_cast<int64_t>(npu_emu::vec::keptRegister()); }
inline int64_t get_vms4_sr() { return static_cast<int64_t>(npu_emu::vec::mergeRegister()); }

// api: sbitset0, sbitset1 | S | - | inferred: a bit of a number of 64, cleared or set
inline uint64_t sbitset0(uint64_t bits, int64_t index) { return bits & ~(uint64_t{1} << (index & 63)); }
inline uint64_t sbitset1(uint64_t bits, int64_t index) { return bits | (uint64_t{1} << (index & 63)); }

// api: vector_dup | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred
template <typename T>
inline void vector_dup(__ubuf__ T* dst, std::common_type_t<T> value, uint8_t repeat, uint16_t dstBlockStride, uint16_t,
                       uint16_t dstRepeatStride, uint16_t) {
  static_assert(npu_emu::isa::Fill::has<T>, "vector_dup does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(npu_emu::operandAt(dst), value,
                             npu_emu::registerWalk(repeat, dstBlockStride, 1, 1, dstRepeatStride, 8, 8));
}

// api: vor | V | int16_t uint16_t | inferred
template <typename T>
inline void vor(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlockStride,
                uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride, uint8_t src0RepeatStride,
                uint8_t src1RepeatStride) {
  static_assert(npu_emu::isa::Or::types::has<T>, "vor does not support this element type on Atlas A2");
  npu_emu::vec::binary<npu_emu::isa::Or, T>(
      npu_emu::operandAt(dst), npu_emu::operandAt(src0), npu_emu::operandAt(src1),
      npu_emu::registerWalk(repeat, dstBlockStride, src0BlockStride, src1BlockStride, dstRepeatStride, src0RepeatStride,
                            src1RepeatStride));
}

// api: copy_ubuf_to_ubuf | V | bytes | inferred
inline void copy_ubuf_to_ubuf(__ubuf__ void* dst, __ubuf__ void* src, uint8_t, uint16_t blockCount,
                              uint16_t blockLength, uint16_t srcGap, uint16_t dstGap) {
  npu_emu::dma::copyLocal(npu_emu::operandAt(dst), npu_emu::operandAt(src), blockCount, blockLength * 32u, srcGap,
                          dstGap);
}

// api: vtranspose | V | int16_t uint16_t half | inferred
template <typename T>
inline void vtranspose(__ubuf__ T* dst, __ubuf__ T* src) {
  static_assert(sizeof(T) == 2, "vtranspose takes 16-bit elements");
  npu_emu::vec::transposeSquare(npu_emu::operandAt(dst), npu_emu::operandAt(src));
}

// api: set_va_reg_sb | S | - | inferred
inline void set_va_reg_sb(ub_addr8_t index, uint64_t* addresses) {
  npu_emu::vec::setAddressRegister(index, reinterpret_cast<const uint64_t(&)[8]>(*addresses));
}

// api: scatter_vnchwconv_b8, scatter_vnchwconv_b16, scatter_vnchwconv_b32 | V | bytes | inferred
inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride,
                                 bool dstHighHalf, bool srcHighHalf) {
  npu_emu::vec::transposeRegisters(dst, src, {dstHighHalf, srcHighHalf, repeat, dstStride, srcStride}, 1);
}
inline void scatter_vnchwconv_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                                  uint16_t srcStride) {
  npu_emu::vec::transposeRegisters(dst, src, {false, false, repeat, dstStride, srcStride}, 2);
}
inline void scatter_vnchwconv_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                                  uint16_t srcStride) {
  npu_emu::vec::transposeRegisters(dst, src, {false, false, repeat, dstStride, srcStride}, 4);
}

// api: copy_data_align64 | S | bytes | inferred: copies a field of the tiling data to the stack
inline void copy_data_align64(uint8_t* dst, uint8_t* src, uint64_t bytes) { npu_emu::copyTiling(dst, src, bytes); }

// api: icache_preload, set_ffts_base_addr | S | - | inferred: no effect here, where there is no instruction cache and
//   flags lie in no memory
inline void icache_preload(int64_t) {}
inline void set_ffts_base_addr(uint64_t) {}

namespace AscendC {

// api: SetSyncBaseAddr | S | - | inferred: no effect here, where flags lie in no memory
inline void SetSyncBaseAddr(uint64_t) {}

// Bits of float, which kernels take from the inner headers.
constexpr uint32_t F32_POS_INF = 0x7f800000, F32_INF = F32_POS_INF, F32_NEG_INF = 0xff800000, F32_NAN = 0x7fc00000;

// api: SetNdParaImpl | S | - | inferred: the register that SetFixpipeNz2ndFlag sets
inline void SetNdParaImpl(uint64_t config) {
  npu_emu::cube::setFixpipeMatrices(static_cast<uint16_t>(config), static_cast<uint16_t>(config >> 16),
                                    static_cast<uint16_t>(config >> 32));
}

// api: OOMCheckAddrRange | S | any | inferred: no effect here, where every access is checked against what the host has
//   given
template <typename T>
inline void OOMCheckAddrRange(__gm__ T*, const uint64_t) {}

// Internal to the library of the device, and used by kernels beside raw intrinsics all the same.
// api: BlockReduceSumIntrinsicsImpl, BlockReduceMaxIntrinsicsImpl, BlockReduceMinIntrinsicsImpl | V | half float |
//   inferred: inner functions that kernels call
template <typename T>
inline void BlockReduceSumIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeatTime,
                                         const int32_t dstRepStride, const int32_t srcBlkStride,
                                         const int32_t srcRepStride) {
  vcgadd(dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T>
inline void BlockReduceMaxIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeatTime,
                                         const int32_t dstRepStride, const int32_t srcBlkStride,
                                         const int32_t srcRepStride) {
  vcgmax(dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}
template <typename T>
inline void BlockReduceMinIntrinsicsImpl(__ubuf__ T* dst, __ubuf__ T* src, const int32_t repeatTime,
                                         const int32_t dstRepStride, const int32_t srcBlkStride,
                                         const int32_t srcRepStride) {
  vcgmin(dst, src, repeatTime, dstRepStride, srcBlkStride, srcRepStride);
}

// With the lanes of the mask register, and `count` elements with the mask register as it was after.
// api: DuplicateIntrinsicsImpl, DuplicateImpl | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred: inner
//   functions that kernels call
template <typename T>
inline void DuplicateIntrinsicsImpl(__ubuf__ T* dst, std::common_type_t<T> value, uint8_t repeatTime,
                                    uint16_t dstBlkStride, uint8_t dstRepStride) {
  vector_dup(dst, value, repeatTime, dstBlkStride, 1, dstRepStride, 0);
}
template <typename T>
inline void DuplicateImpl(__ubuf__ T* dst, std::common_type_t<T> value, const int32_t& count) {
  static_assert(npu_emu::isa::Fill::has<T>, "DuplicateImpl does not support this element type on Atlas A2");
  npu_emu::vec::duplicate<T>(npu_emu::operandAt(dst), value, npu_emu::Walk::ofCount(count));
}

// api: AscendCUtils | S | every type | inferred: an inner class that kernels call
class AscendCUtils {
 public:
  template <typename T, bool isSetMask = true>
  static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow) {
    if (isSetMask) npu_emu::vec::setMask(maskHigh, maskLow);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(int32_t len) {
    bool whole = len != 64 && len == static_cast<int32_t>(ONE_REPEAT_BYTE_SIZE / sizeof(T));
    uint64_t mask[2];
    npu_emu::maskOfLanes(whole ? 128 : static_cast<uint64_t>(len), mask);
    SetMask<T, isSetMask>(mask[1], mask[0]);
  }
  // Bit 48 of the control register: what floats do that overflow.
  static void SetOverflow(uint64_t ctrlValue) { npu_emu::vec::setControl(48, 1, ctrlValue == 1 ? 1 : 0); }
  static int32_t GetBitSize(int32_t byteSize) { return byteSize * 8; }
  static int32_t GetC0Count(const int32_t dtypeSize) { return ONE_BLK_SIZE / dtypeSize; }
  static int64_t GetRsvdCnt() { return get_rsvd_cnt(); }
  template <typename T>
  static void SetMaskCount() {
    set_mask_count();
  }
  template <typename T>
  static void SetMaskNorm() {
    set_mask_norm();
  }
};

}  // namespace AscendC
