// Temporary memory of selections by bytes and of DropOut, in bytes.
#pragma once

#include "lib/utils/types.h"
#include "ascendc/select_sizes.h"
#include "tiling/helper_checks.h"

namespace AscendC {

// api: GetSelectMaxMinTmpSize, GetSelectMaxTmpSize, GetSelectMinTmpSize, GetSelectWithBytesMaskMaxMinTmpSize,
//   GetSelectWithBytesMaskMaxTmpSize, GetSelectWithBytesMaskMinTmpSize | - | - | inferred: the sizes
inline void GetSelectMaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape, const uint32_t,
                                   const TensorShape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask,
                                   uint32_t& maxValue, uint32_t& minValue) {
  const char* helper = "GetSelectMaxMinTmpSize";
  const bool scalarFirst = src0Shape.GetDimNum() == 0 || src0Shape.GetShapeSize() == 1;
  const TensorShape& src = scalarFirst ? src1Shape : src0Shape;
  bool legal = npu_emu::host::accepts(helper, src.GetDimNum() == 2 && maskShape.GetDimNum() == 2,
                                      "the shapes of one source and of the mask have two dimensions");
  legal = legal && npu_emu::host::accepts(helper, maskTypeSize == 1 || maskTypeSize == 2 || maskTypeSize == 4,
                                          "maskTypeSize is 1, 2 or 4");
  if (!legal) return;
  const bool compacts = maskShape.GetDim(1) != src.GetDim(1) && !isReuseMask && maskShape.GetDim(1) > 1;
  const npu_emu::sizes::Range range =
      npu_emu::sizes::select({static_cast<uint32_t>(src.GetShapeSize()), maskTypeSize, compacts});
  maxValue = range.most;
  minValue = range.least;
}
inline uint32_t GetSelectMaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                    const uint32_t srcTypeSize, const TensorShape& maskShape,
                                    const uint32_t maskTypeSize, const bool isReuseMask) {
  uint32_t most = 0, least = 0;
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, most, least);
  return most;
}
inline uint32_t GetSelectMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                    const uint32_t srcTypeSize, const TensorShape& maskShape,
                                    const uint32_t maskTypeSize, const bool isReuseMask) {
  uint32_t most = 0, least = 0;
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, most, least);
  return least;
}
inline void GetSelectWithBytesMaskMaxMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                                const uint32_t srcTypeSize, const TensorShape& maskShape,
                                                const uint32_t maskTypeSize, const bool isReuseMask, uint32_t& maxValue,
                                                uint32_t& minValue) {
  GetSelectMaxMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask, maxValue, minValue);
}
inline uint32_t GetSelectWithBytesMaskMaxTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                                 const uint32_t srcTypeSize, const TensorShape& maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask) {
  return GetSelectMaxTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}
inline uint32_t GetSelectWithBytesMaskMinTmpSize(const TensorShape& src0Shape, const TensorShape& src1Shape,
                                                 const uint32_t srcTypeSize, const TensorShape& maskShape,
                                                 const uint32_t maskTypeSize, const bool isReuseMask) {
  return GetSelectMinTmpSize(src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask);
}

// api: GetDropOutMaxMinTmpSize, GetDropOutMaxTmpSize, GetDropOutMinTmpSize | - | - | inferred: the sizes
inline uint32_t GetDropOutMaxTmpSize(const TensorShape& srcShape, const uint32_t, const bool) {
  return npu_emu::sizes::dropOut(static_cast<uint32_t>(srcShape.GetShapeSize())).most;
}
inline uint32_t GetDropOutMinTmpSize(const TensorShape& srcShape, const uint32_t, const bool) {
  return npu_emu::sizes::dropOut(static_cast<uint32_t>(srcShape.GetShapeSize())).least;
}
inline void GetDropOutMaxMinTmpSize(const TensorShape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                    uint32_t& maxValue, uint32_t& minValue) {
  maxValue = GetDropOutMaxTmpSize(srcShape, typeSize, isReuseSource);
  minValue = GetDropOutMinTmpSize(srcShape, typeSize, isReuseSource);
}

}  // namespace AscendC
