// Transposing blocks of 16 x 16 elements, and images between NCHW and NHWC.
#pragma once

#include "tensor.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;
constexpr int32_t VA_REG_ARRAY_LEN = 8;

enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW,
};

struct TransDataTo5HDParams {
  constexpr TransDataTo5HDParams() = default;
  constexpr TransDataTo5HDParams(const bool dstHighHalfIn, const bool srcHighHalfIn, const uint8_t repeatTimesIn,
                                 const uint16_t dstRepStrideIn, const uint16_t srcRepStrideIn)
      : dstHighHalf(dstHighHalfIn),
        srcHighHalf(srcHighHalfIn),
        repeatTimes(repeatTimesIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};

struct TransposeParamsExt {
  constexpr TransposeParamsExt() = default;
  constexpr TransposeParamsExt(const uint16_t nSizeIn, const uint16_t cSizeIn, const uint16_t hSizeIn,
                               const uint16_t wSizeIn, const TransposeType transposeTypeIn)
      : nSize(nSizeIn), cSize(cSizeIn), hSize(hSizeIn), wSize(wSizeIn), transposeType(transposeTypeIn) {}
  uint16_t nSize = 0;
  uint16_t cSize = 0;
  uint16_t hSize = 0;
  uint16_t wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

namespace npu_emu_detail {

using Transposable = npu_emu::Types<int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>;

template <typename T>
constexpr void check5HD() {
  static_assert(Transposable::has<T>, "TransDataTo5HD does not support this element type on Atlas A2");
}

inline npu_emu::vec::Transposition transposition(const TransDataTo5HDParams& p) {
  return {p.dstHighHalf, p.srcHighHalf, p.repeatTimes, p.dstRepStride, p.srcRepStride};
}

}  // namespace npu_emu_detail

// api: TransDataTo5HD | V | int8_t uint8_t int16_t uint16_t half int32_t uint32_t float | documented
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams) {
  using npu_emu::vec::BlockAddresses;
  npu_emu_detail::check5HD<T>();
  npu_emu::vec::transposeBlocks(reinterpret_cast<const BlockAddresses&>(*dstList),
                                reinterpret_cast<const BlockAddresses&>(*srcList),
                                npu_emu_detail::transposition(nchwconvParams), sizeof(T));
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams) {
  npu_emu_detail::check5HD<T>();
  uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = reinterpret_cast<uint64_t>(dstList[i].npu_emu_bytes());
    src[i] = reinterpret_cast<uint64_t>(srcList[i].npu_emu_bytes());
  }
  // Each address is read out of its tensor and written down: estimated; that lists of addresses are faster is documented.
  constexpr uint32_t cyclesOfAddress = 2;
  npu_emu::scalarWork(2 * NCHW_CONV_ADDR_LIST_SIZE * cyclesOfAddress);
  npu_emu::vec::transposeBlocks(dst, src, npu_emu_detail::transposition(nchwconvParams), sizeof(T));
}
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                           const TransDataTo5HDParams& nchwconvParams) {
  npu_emu_detail::check5HD<T>();
  npu_emu::vec::transposeBlocks(dst.npu_emu_operand(), src.npu_emu_operand(),
                                npu_emu_detail::transposition(nchwconvParams), sizeof(T));
}

// api: TransDataTo5HDImpl | V | int8_t uint8_t int16_t uint16_t half int32_t uint32_t float | inferred: the same by raw
//   addresses
template <typename T>
inline void TransDataTo5HDImpl(__ubuf__ T* dstList[16], __ubuf__ T* srcList[16],
                               const TransDataTo5HDParams& transDataTo5HDParams) {
  npu_emu_detail::check5HD<T>();
  uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], src[NCHW_CONV_ADDR_LIST_SIZE];
  for (int32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    dst[i] = reinterpret_cast<uint64_t>(dstList[i]);
    src[i] = reinterpret_cast<uint64_t>(srcList[i]);
  }
  npu_emu::vec::transposeBlocks(dst, src, npu_emu_detail::transposition(transDataTo5HDParams), sizeof(T));
}
template <typename T>
inline void TransDataTo5HDImpl(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& transDataTo5HDParams) {
  TransDataTo5HD<T>(dstList, srcList, transDataTo5HDParams);
}

// api: Transpose | V | int8_t uint8_t int16_t uint16_t half int32_t uint32_t float; 16 x 16: int16_t uint16_t half |
//   inferred: the clock of images
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src) {
  static_assert(npu_emu::Types<int16_t, uint16_t, half>::has<T>,
                "Transpose supports int16_t, uint16_t and half on Atlas A2");
  npu_emu::vec::transposeSquare(dst.npu_emu_operand(), src.npu_emu_operand());
}
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const TransposeParamsExt& transposeParams) {
  static_assert(npu_emu_detail::Transposable::has<T>, "Transpose does not support this element type on Atlas A2");
  const TransposeParamsExt& p = transposeParams;
  bool square = p.transposeType == TransposeType::TRANSPOSE_ND2ND_B16;
  if (p.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC || p.transposeType == TransposeType::TRANSPOSE_NHWC2NCHW) {
    bool channelsLast = p.transposeType == TransposeType::TRANSPOSE_NHWC2NCHW;
    npu_emu::vec::transposeImage(dst.npu_emu_operand(), src.npu_emu_operand(), sharedTmpBuffer.npu_emu_operand(),
                                 sharedTmpBuffer.GetLength(), p.nSize, p.cSize, uint32_t(p.hSize) * p.wSize,
                                 channelsLast, sizeof(T));
  } else if (square && sizeof(T) == 2 && p.hSize == 16 && p.wSize == 16) {
    npu_emu::vec::transposeSquare(dst.npu_emu_operand(), src.npu_emu_operand());
  } else if (square) {
    npu_emu::reportMisuse(npu_emu::Check::ParameterRange, "Transpose",
                          "TRANSPOSE_ND2ND_B16 takes 16 x 16 elements of 16 bits: nothing is done",
                          "set hSize and wSize to 16");
  } else if (p.transposeType != TransposeType::TRANSPOSE_TYPE_NONE) {
    npu_emu::reportMisuse(npu_emu::Check::ParameterRange, "Transpose",
                          "this transposeType is not supported: nothing is done",
                          "use TRANSPOSE_ND2ND_B16, TRANSPOSE_NCHW2NHWC or TRANSPOSE_NHWC2NCHW");
  }
}

}  // namespace AscendC
