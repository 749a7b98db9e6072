// Tiling helpers of rearrangements and of TopK.
#pragma once

#include "lib/utils/types.h"
#include "ascendc/data_format.h"
#include "ascendc/rearrangement_tiling.h"
#include "tiling/helper_checks.h"
#include "tiling/library_shape.h"
#include "tiling/library_structs.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// host code has them from here
constexpr uint32_t BLOCK_CUBE = 16;
constexpr uint32_t ONE_BLK_SIZE = 32;
constexpr int32_t CUBE_MAX_SIZE = 256;
constexpr uint32_t TWO_TIMES = 2;

namespace npu_emu_detail {

inline bool isMatrix(const char* helper, const TensorShape& shape, uint32_t typeSize) {
  return npu_emu::host::accepts(helper, typeSize == 2 || typeSize == 4, "typeSize is 2 or 4") &&
         npu_emu::host::accepts(helper, shape.GetDimNum() == 2 && shape.GetShapeSize() > 0,
                                "srcShape has two dimensions that are not empty");
}

inline uint32_t extentOf(const TensorShape& shape, size_t dimension) {
  return static_cast<uint32_t>(shape.GetDim(dimension));
}

inline bool transposed(const char* helper, const TensorShape& shape, uint32_t typeSize, uint32_t type,
                       npu_emu::sizes::Transposed& result) {
  const size_t dims = type == 7 ? 2 : 4;
  if (!npu_emu::host::accepts(helper, type >= 1 && type <= 7, "transposeTypeIn is 1 to 7 on Atlas A2")) return false;
  if (!npu_emu::host::accepts(helper, shape.GetDimNum() == dims && shape.GetShapeSize() > 0,
                              "srcShape is [H, W] in scene 7 and [B, N, S, H / N] in the others"))
    return false;
  if (!npu_emu::host::accepts(helper, typeSize == 2 || typeSize == 4, "typeSize is 2 or 4")) return false;
  result = {type, {1, 1, 1, 1}, typeSize};
  for (size_t i = 0; i < dims; ++i) result.extents[i] = extentOf(shape, i);
  return true;
}

inline bool topK(const char* helper, int32_t inner, int32_t outter, int32_t k, uint32_t typeSize, bool hasIndices,
                 TopKMode mode, bool isLargest, npu_emu::sizes::TopK& result) {
  const int32_t longest = mode == TopKMode::TOPK_NSMALL ? 32 : 4096;
  if (!npu_emu::host::accepts(helper, inner > 0 && inner % 32 == 0 && inner <= longest,
                              "inner is a multiple of 32 up to 4096, and 32 in the mode TOPK_NSMALL"))
    return false;
  if (!npu_emu::host::accepts(helper, outter > 0 && k >= 1 && k <= inner, "outter is positive and k is 1 to inner"))
    return false;
  if (!npu_emu::host::accepts(helper, typeSize == 2 || typeSize == 4, "dataTypeSize is 2 or 4")) return false;
  result = {static_cast<uint32_t>(inner),
            static_cast<uint32_t>(outter),
            static_cast<uint32_t>(k),
            typeSize,
            hasIndices,
            mode == TopKMode::TOPK_NSMALL,
            isLargest};
  return true;
}

}  // namespace npu_emu_detail

// api: GetPadMaxMinTmpSize, PadTilingFunc | - | - | inferred: the figures
inline void GetPadMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                uint32_t& minValue) {
  if (!npu_emu_detail::isMatrix("GetPadMaxMinTmpSize", srcShape, typeSize)) return;
  const npu_emu::sizes::Range range =
      npu_emu::sizes::pad(npu_emu_detail::extentOf(srcShape, 0), npu_emu_detail::extentOf(srcShape, 1));
  maxValue = range.most;
  minValue = range.least;
}
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t stackBufferSize,
                          const uint32_t typeSize, tiling::PadTiling& tiling) {
  if (!npu_emu_detail::isMatrix("PadTilingFunc", srcShape, typeSize) ||
      !npu_emu_detail::isMatrix("PadTilingFunc", oriSrcShape, typeSize))
    return;
  tiling = npu_emu::sizes::tilePad(npu_emu_detail::extentOf(srcShape, 0), npu_emu_detail::extentOf(srcShape, 1),
                                   npu_emu_detail::extentOf(oriSrcShape, 1), stackBufferSize, typeSize);
}
inline void PadTilingFunc(const TensorShape srcShape, const TensorShape oriSrcShape, const uint32_t stackBufferSize,
                          const uint32_t typeSize, optiling::PadTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::PadTiling& plain) {
    PadTilingFunc(srcShape, oriSrcShape, stackBufferSize, typeSize, plain);
  });
}

// Types that the function does not take are refused; so are shapes that do not belong together.
// api: GetTransDataMaxMinTmpSize | - | - | documented
inline bool GetTransDataMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                      const TensorShape& dstShape, const TensorDataType dataType,
                                      const TransDataConfig& config, uint32_t& maxValue, uint32_t& minValue) {
  using npu_emu::sizes::Rearrangement;
  using npu_emu::sizes::Volume;
  constexpr const char* helper = "GetTransDataMaxMinTmpSize";
  const bool splits = config.srcFormat == DataFormat::NCDHW;
  const DataFormat other = splits ? config.dstFormat : config.srcFormat;
  const bool isBlocks = other == DataFormat::NDC1HWC0;
  if (!npu_emu::host::accepts(helper,
                              dataType == ge::DT_FLOAT16 || dataType == ge::DT_BF16 || dataType == ge::DT_INT16 ||
                                  dataType == ge::DT_UINT16,
                              "dataType has 16 bits"))
    return false;
  if (!npu_emu::host::accepts(
          helper, (splits || config.dstFormat == DataFormat::NCDHW) && (isBlocks || other == DataFormat::FRACTAL_Z_3D),
          "the formats are NCDHW, and NDC1HWC0 or FRACTAL_Z_3D"))
    return false;
  const TensorShape &plain = splits ? srcShape : dstShape, &split = splits ? dstShape : srcShape;
  if (!npu_emu::host::accepts(helper, plain.GetDimNum() == 5 && split.GetDimNum() == (isBlocks ? 6u : 7u),
                              "shapes have as many extents as their formats"))
    return false;
  const Volume v{npu_emu_detail::extentOf(plain, 0), npu_emu_detail::extentOf(plain, 1),
                 npu_emu_detail::extentOf(plain, 2), npu_emu_detail::extentOf(plain, 3),
                 npu_emu_detail::extentOf(plain, 4)};
  const int64_t c1 = static_cast<int64_t>(Volume::split(v.c)), n1 = static_cast<int64_t>(Volume::split(v.n));
  const std::vector<int64_t> wanted =
      isBlocks ? std::vector<int64_t>{v.n, v.d, c1, v.h, v.w, 16} : std::vector<int64_t>{v.d, c1, v.h, v.w, n1, 16, 16};
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!npu_emu::host::accepts(helper, split.GetDim(i) == wanted[i],
                                "C and N are split into 16 each, and the other extents are the same"))
      return false;
  }
  const Rearrangement kind = isBlocks ? (splits ? Rearrangement::ToBlocks : Rearrangement::FromBlocks)
                                      : (splits ? Rearrangement::ToFractal : Rearrangement::FromFractal);
  maxValue = minValue = static_cast<uint32_t>(npu_emu::sizes::transDataBytes(kind, v));
  return true;
}

// api: GetUnPadMaxMinTmpSize, UnPadTilingFunc | - | - | inferred: the figures
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape&, const uint32_t,
                                  uint32_t& maxValue, uint32_t& minValue) {
  maxValue = minValue = 0;
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            tiling::UnPadTiling& tiling) {
  if (!npu_emu_detail::isMatrix("UnPadTilingFunc", srcShape, typeSize)) return;
  tiling = npu_emu::sizes::tileUnPad(npu_emu_detail::extentOf(srcShape, 0), npu_emu_detail::extentOf(srcShape, 1),
                                     stackBufferSize, typeSize);
}
inline void UnPadTilingFunc(const TensorShape srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                            optiling::UnPadTiling& tiling) {
  npu_emu::fill(tiling,
                [&](tiling::UnPadTiling& plain) { UnPadTilingFunc(srcShape, stackBufferSize, typeSize, plain); });
}

// api: GetTransposeMaxMinTmpSize, GetTransposeTilingInfo, GetConfusionTransposeMaxMinTmpSize,
//   GetConfusionTransposeTilingInfo, GetConfusionTransposeOnlyTilingInfo | - | - | inferred: the figures
inline void GetTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                      const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu::sizes::Transposed transposed{};
  if (!npu_emu_detail::transposed("GetTransposeMaxMinTmpSize", srcShape, typeSize, transposeTypeIn, transposed)) return;
  const npu_emu::sizes::Range range = npu_emu::sizes::transpose(transposed);
  maxValue = range.most;
  minValue = range.least;
}
inline void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                   const uint32_t transposeTypeIn, tiling::ConfusionTransposeTiling& tiling) {
  npu_emu::sizes::Transposed transposed{};
  if (npu_emu_detail::transposed("GetTransposeTilingInfo", srcShape, typeSize, transposeTypeIn, transposed))
    tiling = npu_emu::sizes::tileTranspose(transposed, stackBufferSize);
}
inline void GetTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize, const uint32_t typeSize,
                                   const uint32_t transposeTypeIn, optiling::ConfusionTransposeTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::ConfusionTransposeTiling& plain) {
    GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, plain);
  });
}
inline void GetConfusionTransposeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                               const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue) {
  GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
inline void GetConfusionTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                            const uint32_t typeSize, const uint32_t transposeTypeIn,
                                            tiling::ConfusionTransposeTiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
inline void GetConfusionTransposeTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                            const uint32_t typeSize, const uint32_t transposeTypeIn,
                                            optiling::ConfusionTransposeTiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                                const uint32_t typeSize, tiling::ConfusionTransposeTiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}
inline void GetConfusionTransposeOnlyTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                                const uint32_t typeSize, optiling::ConfusionTransposeTiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}

// api: GetTopKMaxMinTmpSize, TopKTilingFunc | - | - | inferred: the figures
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                                 const bool, const bool isInitIndex, enum TopKMode mode, const bool isLargest,
                                 const uint32_t dataTypeSize, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu::sizes::TopK topK{};
  if (!npu_emu_detail::topK("GetTopKMaxMinTmpSize", inner, outter, 1, dataTypeSize, isInitIndex, mode, isLargest, topK))
    return false;
  maxValue = minValue = npu_emu::sizes::topK(topK);
  return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                           const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex, enum TopKMode mode,
                           const bool isLargest, tiling::TopkTiling& topKTiling) {
  npu_emu::sizes::TopK topK{};
  if (!npu_emu_detail::topK("TopKTilingFunc", inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest, topK))
    return false;
  topKTiling = npu_emu::sizes::tileTopK(topK);
  return true;
}
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC& ascendcPlatform, const int32_t inner,
                           const int32_t outter, const int32_t k, const uint32_t dataTypeSize, const bool isInitIndex,
                           enum TopKMode mode, const bool isLargest, optiling::TopkTiling& topKTiling) {
  bool done = false;
  npu_emu::fill(topKTiling, [&](tiling::TopkTiling& plain) {
    done = TopKTilingFunc(ascendcPlatform, inner, outter, k, dataTypeSize, isInitIndex, mode, isLargest, plain);
  });
  return done;
}

}  // namespace AscendC
