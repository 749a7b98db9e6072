// Sizes of temporary tensors of the quantisations. Shapes that are not supported give none.
#pragma once

#include "ascendc/quantization_sizes.h"
#include "tiling/library_shape.h"

namespace AscendC {

// api: GetAscendQuantMaxMinTmpSize, GetAscendQuantTmpBufferFactorSize | S | - | documented
inline void GetAscendQuantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                        uint32_t& minValue) {
  const npu_emu::quant::Range range = npu_emu::quant::sizesOfQuant(static_cast<uint32_t>(srcShape.GetShapeSize()));
  maxValue = range.most;
  minValue = range.least;
}
inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = 2;
  extraBuf = 0;
}

// [m, n] or [n]
// api: GetAscendDequantMaxMinTmpSize, GetAscendDequantTmpBufferFactorSize | S | - | documented
inline void GetAscendDequantMaxMinTmpSize(const TensorShape& srcShape, const uint32_t, uint32_t& maxValue,
                                          uint32_t& minValue) {
  if (srcShape.GetDimNum() == 0 || srcShape.GetDimNum() > 2) return;
  const npu_emu::Rows rows(srcShape);
  const npu_emu::quant::Range range = npu_emu::quant::sizesOfDequant(rows.m, rows.k);
  maxValue = range.most;
  minValue = range.least;
}
inline void GetAscendDequantTmpBufferFactorSize(const TensorShape& srcShape, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuf) {
  const size_t rank = srcShape.GetDimNum();
  const bool isKnown = rank == 1 || rank == 2;
  maxLiveNodeCount = isKnown ? 3 - static_cast<uint32_t>(rank) : 0;
  extraBuf = isKnown ? 72 + (rank == 2 ? static_cast<uint32_t>(srcShape.GetDim(1)) : 0) : 0;
}

// api: GetAscendAntiQuantMaxMinTmpSize, GetAscendAntiQuantMaxTmpSize, GetAscendAntiQuantMinTmpSize,
//   GetAscendAntiQuantTmpBufferFactorSize | S | - | documented
inline void GetAscendAntiQuantMaxMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                            bool isTranspose, TensorDataType, TensorDataType outputDataType,
                                            uint32_t& maxValue, uint32_t& minValue) {
  const npu_emu::quant::Range range = npu_emu::quant::sizesOfAntiQuant(
      static_cast<uint32_t>(srcShape.GetShapeSize()),
      srcShape.GetDimNum() == 0 ? 0 : static_cast<uint32_t>(srcShape.GetDim(0)),
      static_cast<uint32_t>(scaleShape.GetShapeSize()), isTranspose, outputDataType == ge::DT_FLOAT16);
  maxValue = range.most;
  minValue = range.least;
}
inline uint32_t GetAscendAntiQuantMaxTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                             bool isTranspose, TensorDataType inputDataType,
                                             TensorDataType outputDataType) {
  uint32_t most = 0, least = 0;
  GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, most, least);
  return most;
}
inline uint32_t GetAscendAntiQuantMinTmpSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                             bool isTranspose, TensorDataType inputDataType,
                                             TensorDataType outputDataType) {
  uint32_t most = 0, least = 0;
  GetAscendAntiQuantMaxMinTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType, most, least);
  return least;
}
inline void GetAscendAntiQuantTmpBufferFactorSize(const TensorShape& srcShape, const TensorShape& scaleShape,
                                                  bool isTranspose, TensorDataType inputDataType,
                                                  TensorDataType outputDataType, uint32_t& maxLiveNodeCount,
                                                  uint32_t& extraBuf) {
  const bool isHalf = outputDataType == ge::DT_FLOAT16, perChannel = scaleShape.GetShapeSize() != 1;
  maxLiveNodeCount = !isHalf && !perChannel ? 1 : 0;
  extraBuf = !isHalf && perChannel
                 ? GetAscendAntiQuantMaxTmpSize(srcShape, scaleShape, isTranspose, inputDataType, outputDataType)
                 : 0;
}

}  // namespace AscendC
