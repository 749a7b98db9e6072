// Padding rows, taking the padding away, transpositions between layouts, and the largest or smallest elements of rows.
#pragma once

#include "library.h"
#include "rearrangement_tiling.h"
#include "system.h"
#include "vector_transpose.h"

using AscendC::tiling::ConfusionTransposeTiling;
using AscendC::tiling::PadTiling;
using AscendC::tiling::TopkTiling;
using AscendC::tiling::UnPadTiling;

#pragma GCC visibility push(default)

namespace npu_emu::vec {

struct Margins {
  uint32_t left, right;
  uint64_t value;  // bits of one element
};
void pad(Operand dst, Operand src, const Temporary& temporary, const Margins& margins,
         const AscendC::tiling::PadTiling& tiling, uint32_t elementBytes);
void unpad(Operand dst, Operand src, uint32_t right, const AscendC::tiling::UnPadTiling& tiling, uint32_t elementBytes);
void transposeLayout(Operand dst, Operand src, const Temporary& temporary, uint32_t scene,
                     const AscendC::tiling::ConfusionTransposeTiling& tiling, uint32_t elementBytes);

struct Ranking {
  int32_t k, inner, outer, length;
  bool hasIndices, hasFinished, small, largest;
};
template <typename T>
void rank(Operand values, Operand indices, Operand src, Operand srcIndices, Operand finished,
          const Temporary& temporary, const Ranking& ranking, const AscendC::tiling::TopkTiling& tiling);

}  // namespace npu_emu::vec

#pragma GCC visibility pop

namespace AscendC {

struct PadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
  int32_t padValue = 0;
};

struct UnPadParams {
  uint16_t leftPad = 0;
  uint16_t rightPad = 0;
};

struct TopKInfo {
  int32_t outter = 1;
  int32_t inner;
  int32_t n;
};

namespace npu_emu_detail {

template <typename T>
inline void pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const npu_emu::Temporary& temporary,
                const PadParams& params, const tiling::PadTiling& tiling) {
  const T value = static_cast<T>(params.padValue);
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  npu_emu::vec::pad(dst.npu_emu_operand(), src.npu_emu_operand(), temporary, {params.leftPad, params.rightPad, bits},
                    tiling, sizeof(T));
}

template <typename T, bool isInitIndex, bool isHasfinish, TopKMode mode>
inline void rank(const LocalTensor<T>& values, const LocalTensor<int32_t>& indices, const LocalTensor<T>& src,
                 const LocalTensor<int32_t>& srcIndices, const LocalTensor<bool>& finished,
                 const npu_emu::Temporary& temporary, int32_t k, const tiling::TopkTiling& tiling, const TopKInfo& info,
                 bool isLargest) {
  // kernels choose the mode at run time among calls of both, so that this one may never be reached
  if (mode != TopKMode::TOPK_NORMAL && isHasfinish)
    npu_emu::reportMisuse(npu_emu::Check::ParameterRange, "TopK",
                          "finished rows are marked in the mode TOPK_NORMAL only",
                          "leave isHasfinish false in the mode TOPK_NSMALL");
  npu_emu::vec::rank<T>(
      values.npu_emu_operand(), indices.npu_emu_operand(), src.npu_emu_operand(), srcIndices.npu_emu_operand(),
      finished.npu_emu_operand(), temporary,
      {k, info.inner, info.outter, info.n, isInitIndex, isHasfinish, mode == TopKMode::TOPK_NSMALL, isLargest}, tiling);
}

}  // namespace npu_emu_detail

// api: Pad | V | int16_t uint16_t half int32_t uint32_t float | documented; rows that stay short of 32 bytes: inferred,
//   an error
template <typename T>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
                const LocalTensor<uint8_t>& sharedTmpBuffer, PadTiling& tiling) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, int32_t, uint32_t, float>::has<T>,
                "Pad does not support this element type on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu_detail::pad(dstTensor, srcTensor, npu_emu::temporaryOf(sharedTmpBuffer), padParams, tiling);
}
template <typename T>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
                PadTiling& tiling) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, int32_t, uint32_t, float>::has<T>,
                "Pad does not support this element type on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu_detail::pad(dstTensor, srcTensor, npu_emu::stackTemporary(), padParams, tiling);
}

// api: UnPad | V | int16_t uint16_t half int32_t uint32_t float | documented
template <typename T>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
                  LocalTensor<uint8_t>&, UnPadTiling& tiling) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, int32_t, uint32_t, float>::has<T>,
                "UnPad does not support this element type on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::unpad(dstTensor.npu_emu_operand(), srcTensor.npu_emu_operand(), unPadParams.rightPad, tiling,
                        sizeof(T));
}
template <typename T>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
                  UnPadTiling& tiling) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, int32_t, uint32_t, float>::has<T>,
                "UnPad does not support this element type on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::unpad(dstTensor.npu_emu_operand(), srcTensor.npu_emu_operand(), unPadParams.rightPad, tiling,
                        sizeof(T));
}

// api: Transpose (between layouts), ConfusionTranspose | V | int16_t uint16_t half int32_t uint32_t float | documented:
//   scenes 1 to 7; the clock: inferred
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      TransposeType transposeType, ConfusionTransposeTiling& tiling) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, int32_t, uint32_t, float>::has<T>,
                "Transpose does not support this element type on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::transposeLayout(dst.npu_emu_operand(), src.npu_emu_operand(), npu_emu::temporaryOf(sharedTmpBuffer),
                                  static_cast<uint32_t>(transposeType), tiling, sizeof(T));
}
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,
                      ConfusionTransposeTiling& tiling) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half, int32_t, uint32_t, float>::has<T>,
                "Transpose does not support this element type on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu::vec::transposeLayout(dst.npu_emu_operand(), src.npu_emu_operand(), npu_emu::stackTemporary(),
                                  static_cast<uint32_t>(transposeType), tiling, sizeof(T));
}
template <typename T>
inline void ConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                               const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeType,
                               ConfusionTransposeTiling& tiling) {
  Transpose<T>(dst, src, sharedTmpBuffer, transposeType, tiling);
}
template <typename T>
inline void ConfusionTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src, TransposeType transposeType,
                               ConfusionTransposeTiling& tiling) {
  Transpose<T>(dst, src, transposeType, tiling);
}

// api: TopK | V | half float | documented: the clock is that of the sorting it is made of
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                 const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                 const LocalTensor<bool>& finishLocal, const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
                 const TopkTiling& tilling, const TopKInfo& topKInfo, const bool isLargest = true) {
  static_assert(npu_emu::isa::Floating::has<T>, "TopK supports half and float on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu_detail::rank<T, isInitIndex, isHasfinish, topkMode>(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal,
                                                                finishLocal, npu_emu::temporaryOf(tmpLocal), k, tilling,
                                                                topKInfo, isLargest);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          enum TopKMode topkMode = TopKMode::TOPK_NORMAL>
inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                 const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                 const LocalTensor<bool>& finishLocal, const int32_t k, const TopkTiling& tilling,
                 const TopKInfo& topKInfo, const bool isLargest = true) {
  static_assert(npu_emu::isa::Floating::has<T>, "TopK supports half and float on Atlas A2");
  if ASCEND_IS_AIV
    npu_emu_detail::rank<T, isInitIndex, isHasfinish, topkMode>(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal,
                                                                finishLocal, npu_emu::stackTemporary(), k, tilling,
                                                                topKInfo, isLargest);
}

}  // namespace AscendC
