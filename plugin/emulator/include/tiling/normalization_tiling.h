// Tiling helpers of the normalisations. Shapes and type sizes that are not supported give no tiling and no size.
#pragma once

#include "ascendc/normalization_tiling.h"
#include "tiling/library_shape.h"
#include "tiling/library_structs.h"

namespace npu_emu::norm {

inline uint32_t extent(const ge::Shape& shape, size_t axis) {
  return axis < shape.GetDimNum() ? static_cast<uint32_t>(shape.GetDim(axis)) : 0;
}

// A size in floats as the helpers hand it out.
inline void tell(Range range, uint32_t& maxValue, uint32_t& minValue) {
  maxValue = range.most * floatBytes;
  minValue = range.least * floatBytes;
}

}  // namespace npu_emu::norm

namespace AscendC {

// [B, S, H, original H]
// api: GetLayerNormMaxMinTmpSize, GetLayerNormNDTilingInfo, GetLayerNormNDTillingInfo | S | - | documented
inline void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize)) return;
  norm::tell(norm::sizesOfLayerNorm(norm::extent(srcShape, 0) * norm::extent(srcShape, 1), norm::extent(srcShape, 2),
                                    typeSize, isReuseSource),
             maxValue, minValue);
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource,
                                     tiling::LayerNormTiling& tiling) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize)) return;
  norm::tileLayerNorm(tiling, norm::extent(srcShape, 0), norm::extent(srcShape, 1), norm::extent(srcShape, 2),
                      norm::extent(srcShape, 3), stackBufferSize / 4, typeSize, isReuseSource);
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource,
                                     optiling::LayerNormTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::LayerNormTiling& plain) {
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, plain);
  });
}
inline void GetLayerNormNDTillingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                      const uint32_t typeSize, const bool isReuseSource,
                                      optiling::LayerNormTiling& tilling) {
  GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, tilling);
}

// [A, R]; the device splits more dimensions the same way, by the first two.
inline void GetLayerNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool, const bool,
                                      const bool, uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() < 2 || !norm::isFloating(typeSize)) return;
  norm::tell(norm::sizesOfLayerNormRstd(norm::extent(srcShape, 0), norm::extent(srcShape, 1), typeSize), maxValue,
             minValue);
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool, const bool,
                                     tiling::LayerNormSeparateTiling& tiling) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() < 2 || !norm::isFloating(typeSize)) return;
  norm::tileLayerNormRstd(tiling, norm::extent(srcShape, 0), norm::extent(srcShape, 1), stackBufferSize / 4, typeSize);
}
inline void GetLayerNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource, const bool isComputeRstd,
                                     optiling::LayerNormSeparateTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::LayerNormSeparateTiling& plain) {
    GetLayerNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, isComputeRstd, plain);
  });
}

// api: GetNormalizeMaxMinTmpSize | S | - | documented
inline void GetNormalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeU, const uint32_t typeSizeT,
                                      const bool, const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  norm::tell(norm::sizesOfNormalize(norm::extent(srcShape, 0), norm::extent(srcShape, 1), typeSizeU, typeSizeT),
             maxValue, minValue);
}

// [B, S, H]; the shape of a basic block is 8 n rows of 64 n elements below 2048.
// api: GetRmsNormMaxMinTmpSize, GetRmsNormTilingInfo | S | - | documented
inline bool GetRmsNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool isBasicBlock = false) {
  namespace norm = npu_emu::norm;
  const uint32_t rows = norm::extent(srcShape, 0) * norm::extent(srcShape, 1), h = norm::extent(srcShape, 2);
  if (srcShape.GetDimNum() != 3 || !norm::isFloating(typeSize) ||
      (isBasicBlock && !norm::isBasicBlockOfRmsNorm(rows, h)))
    return false;
  norm::tell(norm::sizesOfRmsNorm(rows, h, typeSize), maxValue, minValue);
  return true;
}
inline bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                 const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                 tiling::RmsNormTiling& tiling, const bool isBasicBlock = false) {
  namespace norm = npu_emu::norm;
  uint32_t most = 0, least = 0;
  if (!GetRmsNormMaxMinTmpSize(srcShape, typeSize, most, least, isBasicBlock) || originSrcShape.GetDimNum() != 3)
    return false;
  const uint32_t b = norm::extent(srcShape, 0), s = norm::extent(srcShape, 1), h = norm::extent(srcShape, 2),
                 originalH = norm::extent(originSrcShape, 2);
  const bool fits =
      b == norm::extent(originSrcShape, 0) && s == norm::extent(originSrcShape, 1) && h >= originalH && originalH != 0;
  if (!fits || h * typeSize % 32 != 0 || b * s == 0 || stackBufferByteSize < least) return false;
  return norm::tileRmsNorm(tiling, b, s, h, originalH, stackBufferByteSize / 4, typeSize, isBasicBlock);
}
inline bool GetRmsNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                 const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                 optiling::RmsNormTiling& tiling, const bool isBasicBlock = false) {
  bool holds = false;
  npu_emu::fill(tiling, [&](tiling::RmsNormTiling& plain) {
    holds = GetRmsNormTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, plain, isBasicBlock);
  });
  return holds;
}

// [B, S, storage H, original H]
// api: GetLayerNormGradMaxMinTmpSize, GetLayerNormGradNDTilingInfo | S | - | documented
inline void GetLayerNormGradMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize,
                                          const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize) || srcShape.GetShapeSize() <= 0) return;
  const norm::Range range = norm::sizesOfLayerNormGrad(norm::extent(srcShape, 0) * norm::extent(srcShape, 1),
                                                       norm::extent(srcShape, 2), typeSize, isReuseSource);
  maxValue = range.most * typeSize;
  minValue = range.least * typeSize;
}
inline void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,
                                         const uint32_t typeSize, const bool isReuseSource,
                                         tiling::LayerNormGradTiling& tiling) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize)) return;
  norm::tileLayerNormGrad(tiling, norm::extent(srcShape, 0), norm::extent(srcShape, 1), norm::extent(srcShape, 2),
                          norm::extent(srcShape, 3), stackBufferSize, typeSize, isReuseSource);
}
inline void GetLayerNormGradNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,
                                         const uint32_t typeSize, const bool isReuseSource,
                                         optiling::LayerNormGradTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::LayerNormGradTiling& plain) {
    GetLayerNormGradNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, plain);
  });
}

// [B, S, storage H, original H]
// api: GetLayerNormGradBetaMaxMinTmpSize, GetLayerNormGradBetaNDTilingInfo | S | - | documented
inline void GetLayerNormGradBetaMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool,
                                              uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize)) return;
  norm::tell(norm::sizesOfLayerNormGradBeta(norm::extent(srcShape, 0) * norm::extent(srcShape, 1),
                                            norm::extent(srcShape, 2), typeSize),
             maxValue, minValue);
}
inline void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,
                                             const uint32_t typeSize, const bool,
                                             tiling::LayerNormGradBetaTiling& tiling) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize)) return;
  norm::tileLayerNormGradBeta(tiling, norm::extent(srcShape, 0), norm::extent(srcShape, 1), norm::extent(srcShape, 2),
                              norm::extent(srcShape, 3), stackBufferSize / 4, typeSize);
}
inline void GetLayerNormGradBetaNDTilingInfo(const TensorShape srcShape, const uint32_t stackBufferSize,
                                             const uint32_t typeSize, const bool isReuseSource,
                                             optiling::LayerNormGradBetaTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::LayerNormGradBetaTiling& plain) {
    GetLayerNormGradBetaNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, plain);
  });
}

// [N, C, H, W]
// api: GetGroupNormMaxMinTmpSize, GetGroupNormNDTilingInfo | S | - | documented
inline void GetGroupNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                      const uint32_t groupNum, uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize) || groupNum == 0) return;
  norm::tell(norm::sizesOfGroupNorm({norm::extent(srcShape, 0), norm::extent(srcShape, 1),
                                     norm::extent(srcShape, 2) * norm::extent(srcShape, 3), groupNum, typeSize},
                                    isReuseSource),
             maxValue, minValue);
}
inline void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource, const uint32_t groupNum,
                                     tiling::GroupNormTiling& tiling) {
  namespace norm = npu_emu::norm;
  if (srcShape.GetDimNum() != 4 || !norm::isFloating(typeSize) || groupNum == 0) return;
  norm::tileGroupNorm(tiling,
                      {norm::extent(srcShape, 0), norm::extent(srcShape, 1),
                       norm::extent(srcShape, 2) * norm::extent(srcShape, 3), groupNum, typeSize},
                      stackBufferSize, isReuseSource);
}
inline void GetGroupNormNDTilingInfo(const TensorShape& srcShape, const uint32_t stackBufferSize,
                                     const uint32_t typeSize, const bool isReuseSource, const uint32_t groupNum,
                                     optiling::GroupNormTiling& tiling) {
  npu_emu::fill(tiling, [&](tiling::GroupNormTiling& plain) {
    GetGroupNormNDTilingInfo(srcShape, stackBufferSize, typeSize, isReuseSource, groupNum, plain);
  });
}

// [B, S, H]; the shape of a basic block is 8 n batches of 64 n elements.
// api: GetBatchNormMaxMinTmpSize, GetBatchNormNDTilingInfo | S | - | documented
inline bool GetBatchNormMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                      const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue,
                                      const bool isBasicBlock = false) {
  namespace norm = npu_emu::norm;
  const uint32_t batches = norm::extent(originSrcShape, 0), row = norm::extent(srcShape, 1) * norm::extent(srcShape, 2);
  if (srcShape.GetDimNum() != 3 || originSrcShape.GetDimNum() != 3 ||
      (isBasicBlock && (row % 64 != 0 || batches % 8 != 0)))
    return false;
  norm::tell(norm::sizesOfBatchNorm(batches, row, typeSize, isBasicBlock), maxValue, minValue);
  return true;
}
inline bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                     const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                     const bool isReuseSource, tiling::BatchNormTiling& tilling,
                                     const bool isBasicBlock = false) {
  namespace norm = npu_emu::norm;
  uint32_t most = 0, least = 0;
  const uint32_t batches = norm::extent(originSrcShape, 0), row = norm::extent(srcShape, 1) * norm::extent(srcShape, 2);
  if (!GetBatchNormMaxMinTmpSize(srcShape, originSrcShape, typeSize, isReuseSource, most, least, isBasicBlock))
    return false;
  if (row * typeSize % 32 != 0 || stackBufferByteSize < least) return false;
  return norm::tileBatchNorm(tilling, batches, row, stackBufferByteSize / 4, typeSize, isBasicBlock);
}
inline bool GetBatchNormNDTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                     const uint32_t stackBufferByteSize, const uint32_t typeSize,
                                     const bool isReuseSource, optiling::BatchNormTiling& tilling,
                                     const bool isBasicBlock = false) {
  bool holds = false;
  npu_emu::fill(tilling, [&](tiling::BatchNormTiling& plain) {
    holds = GetBatchNormNDTilingInfo(srcShape, originSrcShape, stackBufferByteSize, typeSize, isReuseSource, plain,
                                     isBasicBlock);
  });
  return holds;
}

// [B, S, H] with H up to 2040
// api: GetDeepNormMaxMinTmpSize, GetDeepNormTilingInfo | S | - | documented
inline bool GetDeepNormMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                     const bool isBasicBlock, uint32_t& maxValue, uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  const uint32_t rows = norm::extent(srcShape, 0) * norm::extent(srcShape, 1), h = norm::extent(srcShape, 2);
  if (srcShape.GetDimNum() != 3 || !norm::isFloating(typeSize) || h > norm::longestDeepNorm ||
      (isBasicBlock && !norm::isBasicBlockOfDeepNorm(rows, h)))
    return false;
  norm::tell(norm::sizesOfLayerNorm(rows, h, typeSize, isReuseSource), maxValue, minValue);
  return true;
}
inline bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                  const uint32_t stackBufferSize, const uint32_t typeSize, const bool isReuseSource,
                                  const bool isBasicBlock, tiling::DeepNormTiling& tiling) {
  namespace norm = npu_emu::norm;
  uint32_t most = 0, least = 0;
  if (!GetDeepNormMaxMinTmpSize(srcShape, typeSize, isReuseSource, isBasicBlock, most, least) ||
      stackBufferSize < least)
    return false;
  const uint32_t b = norm::extent(srcShape, 0), s = norm::extent(srcShape, 1), h = norm::extent(srcShape, 2),
                 originalH = norm::extent(originSrcShape, 2);
  const bool same =
      originSrcShape.GetDimNum() == 3 && b == norm::extent(originSrcShape, 0) && s == norm::extent(originSrcShape, 1);
  if (!same || h * typeSize % 32 != 0 || originalH == 0 || originalH > h || (isBasicBlock && originalH != h))
    return false;
  return norm::tileDeepNorm(tiling, b, s, h, originalH, stackBufferSize / 4, typeSize, isReuseSource, isBasicBlock);
}
inline bool GetDeepNormTilingInfo(const TensorShape& srcShape, const TensorShape& originSrcShape,
                                  const uint32_t stackBufferSize, const uint32_t typeSize, const bool isReuseSource,
                                  const bool isBasicBlock, optiling::DeepNormTiling& tiling) {
  bool holds = false;
  npu_emu::fill(tiling, [&](tiling::DeepNormTiling& plain) {
    holds =
        GetDeepNormTilingInfo(srcShape, originSrcShape, stackBufferSize, typeSize, isReuseSource, isBasicBlock, plain);
  });
  return holds;
}

// [rn, ab]
// api: GetWelfordUpdateMaxMinTmpSize | S | - | documented
inline void GetWelfordUpdateMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSizeT, const uint32_t,
                                          const bool isReuseSource, const bool, uint32_t& maxValue,
                                          uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  norm::tell(
      norm::sizesOfWelfordUpdate(norm::extent(srcShape, 0) * norm::extent(srcShape, 1), typeSizeT, isReuseSource),
      maxValue, minValue);
}
// [ab]
// api: GetWelfordFinalizeMaxMinTmpSize | S | - | documented
inline void GetWelfordFinalizeMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool, uint32_t& maxValue,
                                            uint32_t& minValue) {
  namespace norm = npu_emu::norm;
  const uint32_t elements = norm::extent(srcShape, 0);
  if (elements == 0 || elements % 8 != 0) return;
  norm::tell(norm::sizesOfWelfordFinalize(elements), maxValue, minValue);
}

}  // namespace AscendC
