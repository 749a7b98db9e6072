// Gathering elements and blocks by offset, and keeping elements by pattern.
#pragma once

#include "vector_unary.h"

namespace AscendC {

struct GatherRepeatParams {
  GatherRepeatParams() = default;
  GatherRepeatParams(const uint8_t dstBlkStrideIn, const uint8_t dstRepStrideIn)
      : dstRepStride(dstRepStrideIn), dstBlkStride(dstBlkStrideIn) {}
  uint32_t blockNumber = 8;
  uint16_t dstRepStride = 8;
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
  bool repeatStrideMode = false;
  bool strideSizeMode = false;
};

enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
constexpr GatherMaskMode defaultGahterMaskMode = GatherMaskMode::VERSION_V2;

struct GatherMaskParams {
  GatherMaskParams() = default;
  GatherMaskParams(const uint8_t src0BlockStrideIn, const uint16_t repeatTimesIn, const uint16_t src0RepeatStrideIn,
                   const uint8_t src1RepeatStrideIn)
      : src0BlockStride(src0BlockStrideIn),
        repeatTimes(repeatTimesIn),
        src0RepeatStride(src0RepeatStrideIn),
        src1RepeatStride(src1RepeatStrideIn) {}
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
};

namespace npu_emu_detail {

template <typename T>
constexpr void checkGather() {
  static_assert(npu_emu::isa::Fill::has<T>, "Gather does not support this element type on Atlas A2");
}

inline npu_emu::Walk gatherWalk(uint64_t lanes, uint8_t repeats, uint16_t dstRepStride) {
  npu_emu::Walk walk = {npu_emu::Walk::Repeats, true, repeats, static_cast<uint32_t>(lanes), {0, 0}, {1, 1, 1},
                        {dstRepStride, 8, 8}};
  npu_emu::maskOfLanes(lanes, walk.mask);
  return walk;
}

inline npu_emu::vec::Keeping keeping(const npu_emu::Operand* pattern, uint8_t builtIn, bool counter, uint32_t mask,
                                     const GatherMaskParams& p) {
  return {pattern, builtIn, counter, mask, p.repeatTimes, p.src0BlockStride, p.src0RepeatStride, p.src1RepeatStride};
}

}  // namespace npu_emu_detail

// api: Gather | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | documented
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseOffset, const uint64_t mask, const uint8_t repeatTime,
                   const uint16_t dstRepStride) {
  npu_emu_detail::checkGather<T>();
  npu_emu::vec::gather(dst.npu_emu_operand(), src.npu_emu_operand(), srcOffset.npu_emu_operand(), srcBaseOffset,
                       npu_emu_detail::gatherWalk(mask, repeatTime, dstRepStride), sizeof(T));
}
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseOffset, const uint64_t mask[], const uint8_t repeatTime,
                   const uint16_t dstRepStride) {
  npu_emu_detail::checkGather<T>();
  npu_emu::Walk walk = npu_emu_detail::gatherWalk(mask[0], repeatTime, dstRepStride);
  walk.mask[0] = mask[0];
  walk.mask[1] = mask[1];
  npu_emu::vec::gather(dst.npu_emu_operand(), src.npu_emu_operand(), srcOffset.npu_emu_operand(), srcBaseOffset, walk,
                       sizeof(T));
}

// The whole repeats and what is left, each with a mask that stays. The library counts the repeats in 8 bits.
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseOffset, const uint32_t count) {
  constexpr uint32_t perRepeat = ONE_REPEAT_BYTE_SIZE / sizeof(T);
  const uint32_t repeats = count / perRepeat, rest = count % perRepeat, done = count - rest;
  if (repeats > UINT8_MAX)
    npu_emu::reportMisuse(npu_emu::Check::RepeatRange, "Gather",
                          "the count has more than 255 repeats: the library takes their number modulo 256",
                          "split the call");
  if (static_cast<uint8_t>(repeats) > 0)
    Gather(dst, src, srcOffset, srcBaseOffset, uint64_t(perRepeat), static_cast<uint8_t>(repeats),
           DEFAULT_REPEAT_STRIDE);
  if (rest > 0) Gather(dst[done], src, srcOffset[done], srcBaseOffset, uint64_t(rest), 1, DEFAULT_REPEAT_STRIDE);
}

// api: Gatherb | V | uint16_t uint32_t | documented
template <typename T>
inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& offset,
                    const uint8_t repeatTime, const GatherRepeatParams& repeatParams) {
  static_assert(npu_emu::Types<uint16_t, uint32_t>::has<T>,
                "Gatherb supports uint16_t and uint32_t on Atlas A2: reinterpret the tensors");
  npu_emu::vec::gatherBlocks(dst.npu_emu_operand(), src.npu_emu_operand(), offset.npu_emu_operand(), repeatTime,
                             repeatParams.dstBlkStride, repeatParams.dstRepStride);
}

// api: GatherMask | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred: in counter mode a repeat
//   longer than 256 bytes goes on at the block stride
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt) {
  static_assert(npu_emu::isa::Fill::has<T>, "GatherMask does not support this element type on Atlas A2");
  rsvdCnt = npu_emu::vec::gatherMask(dst.npu_emu_operand(), src0.npu_emu_operand(),
                                     npu_emu_detail::keeping(nullptr, src1Pattern, reduceMode, mask, gatherMaskParams),
                                     sizeof(T));
}
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt) {
  static_assert(npu_emu::isa::Fill::has<T>, "GatherMask does not support this element type on Atlas A2");
  static_assert(npu_emu::Types<uint16_t, uint32_t>::has<U> && sizeof(U) == sizeof(T),
                "the pattern of GatherMask is a LocalTensor<uint16_t> for 16-bit elements and a LocalTensor<uint32_t> "
                "for 32-bit elements");
  npu_emu::Operand pattern = src1Pattern.npu_emu_operand();
  rsvdCnt =
      npu_emu::vec::gatherMask(dst.npu_emu_operand(), src0.npu_emu_operand(),
                               npu_emu_detail::keeping(&pattern, 0, reduceMode, mask, gatherMaskParams), sizeof(T));
}

// The older form: under the mode and the mask that are set. Pattern 0 takes the bits of src1.
// api: GatherMask | V | int16_t uint16_t half bfloat16_t int32_t uint32_t float | inferred: deprecated
template <typename T>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                       const uint8_t patternMode, const GatherMaskParams& gatherMaskParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "GatherMask does not support this element type on Atlas A2");
  npu_emu::Operand pattern = src1.npu_emu_operand();
  npu_emu::vec::keep(
      dst.npu_emu_operand(), src0.npu_emu_operand(),
      npu_emu_detail::keeping(patternMode == 0 ? &pattern : nullptr, patternMode, false, 0, gatherMaskParams),
      sizeof(T));
}
template <typename T>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t patternMode,
                       const GatherMaskParams& gatherMaskParams) {
  static_assert(npu_emu::isa::Fill::has<T>, "GatherMask does not support this element type on Atlas A2");
  npu_emu::vec::keep(dst.npu_emu_operand(), src0.npu_emu_operand(),
                     npu_emu_detail::keeping(nullptr, patternMode, false, 0, gatherMaskParams), sizeof(T));
}

// api: GetGatherMaskRemainCount | S | - | documented
inline int64_t GetGatherMaskRemainCount() { return static_cast<int64_t>(npu_emu::vec::keptRegister()); }

}  // namespace AscendC
