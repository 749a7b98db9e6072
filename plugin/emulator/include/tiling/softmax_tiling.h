// Tiling helpers of the softmax family. Type sizes other than those of half and float give no tiling and no size.
#pragma once

#include "ascendc/softmax_tiling.h"
#include "graph/shape.h"
#include "tiling/library_shape.h"
#include "tiling/library_structs.h"

namespace AscendC {

// api: GetSoftMaxMaxTmpSize, GetSoftMaxMinTmpSize, SoftMaxTilingFunc | S | - | documented
inline uint32_t GetSoftMaxMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool) {
  npu_emu::Rows rows(srcShape);
  return npu_emu::softmax::isFloating(dataTypeSize) ? rows.m * npu_emu::softmax::rowOfSoftMax(rows.k, dataTypeSize) * 4
                                                    : 0;
}
inline uint32_t GetSoftMaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool) {
  npu_emu::Rows rows(srcShape);
  return npu_emu::softmax::isFloating(dataTypeSize) && rows.m != 0
             ? npu_emu::softmax::rowOfSoftMax(rows.k, dataTypeSize) * 4
             : 0;
}
inline void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                              const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxTiling) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || !npu_emu::softmax::isFloating(dataTypeSize)) return;
  softmaxTiling = npu_emu::softmax::tileSoftMax(rows.m, rows.k, dataTypeSize, localWorkSpaceSize / 4);
}
inline void SoftMaxTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                              const uint32_t localWorkSpaceSize, optiling::SoftMaxTiling& softmaxTiling) {
  npu_emu::fill(softmaxTiling, [&](tiling::SoftMaxTiling& plain) {
    SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, plain);
  });
}

// api: GetSoftMaxFlashMaxTmpSize, GetSoftMaxFlashMinTmpSize, SoftMaxFlashTilingFunc | S | - | documented
inline uint32_t GetSoftMaxFlashMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                          const bool) {
  npu_emu::Rows rows(srcShape);
  return npu_emu::softmax::isFloating(dataTypeSize)
             ? rows.m * npu_emu::softmax::rowOfFlash(rows.k, dataTypeSize, isUpdate) * 4
             : 0;
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isUpdate,
                                          const bool) {
  npu_emu::Rows rows(srcShape);
  return npu_emu::softmax::isFloating(dataTypeSize) && rows.m != 0
             ? npu_emu::softmax::rowOfFlash(rows.k, dataTypeSize, isUpdate) * 4
             : 0;
}
inline void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                   const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxFlashTiling,
                                   const bool isUpdate = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || !npu_emu::softmax::isFloating(dataTypeSize)) return;
  softmaxFlashTiling = npu_emu::softmax::tileFlash(rows.m, rows.k, dataTypeSize, localWorkSpaceSize / 4, isUpdate);
}
inline void SoftMaxFlashTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                   const uint32_t localWorkSpaceSize, optiling::SoftMaxTiling& softmaxFlashTiling,
                                   const bool isUpdate = false) {
  npu_emu::fill(softmaxFlashTiling, [&](tiling::SoftMaxTiling& plain) {
    SoftMaxFlashTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, plain, isUpdate);
  });
}

// api: GetSoftMaxGradMaxTmpSize, GetSoftMaxGradMinTmpSize, SoftMaxGradTilingFunc | S | - | documented
inline uint32_t GetSoftMaxGradMaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                         const bool) {
  npu_emu::Rows rows(srcShape);
  return npu_emu::softmax::isFloating(dataTypeSize)
             ? rows.m * npu_emu::softmax::rowOfGrad(rows.k, dataTypeSize, isFront) * 4
             : 0;
}
inline uint32_t GetSoftMaxGradMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize, const bool isFront,
                                         const bool) {
  npu_emu::Rows rows(srcShape);
  return npu_emu::softmax::isFloating(dataTypeSize) && rows.m != 0
             ? npu_emu::softmax::rowOfGrad(rows.k, dataTypeSize, isFront) * 4
             : 0;
}
inline void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                  const uint32_t localWorkSpaceSize, tiling::SoftMaxTiling& softmaxGradTiling,
                                  const bool isFront = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || !npu_emu::softmax::isFloating(dataTypeSize)) return;
  softmaxGradTiling = npu_emu::softmax::tileGrad(rows.m, rows.k, dataTypeSize, localWorkSpaceSize / 4, isFront);
}
inline void SoftMaxGradTilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize,
                                  const uint32_t localWorkSpaceSize, optiling::SoftMaxTiling& softmaxGradTiling,
                                  const bool isFront = false) {
  npu_emu::fill(softmaxGradTiling, [&](tiling::SoftMaxTiling& plain) {
    SoftMaxGradTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, plain, isFront);
  });
}

// api: GetSoftMaxFlashV2MinTmpSize, GetSoftMaxFlashV2MaxTmpSize, SoftMaxFlashV2TilingFunc | S | - | documented
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t dataTypeSize2, const bool, const bool isBasicBlock = false,
                                            const bool isFlashOutputBrc = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || !npu_emu::softmax::isFloating(dataTypeSize1) || !npu_emu::softmax::isFloating(dataTypeSize2))
    return 0;
  return npu_emu::softmax::leastOfFlashV2(rows.m, rows.k, dataTypeSize1, dataTypeSize2, isBasicBlock, isFlashOutputBrc);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                            const uint32_t dataTypeSize2, const bool, const bool isBasicBlock = false,
                                            const bool = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || !npu_emu::softmax::isFloating(dataTypeSize1) || !npu_emu::softmax::isFloating(dataTypeSize2))
    return 0;
  return npu_emu::softmax::mostOfFlashV2(rows.m, rows.k, dataTypeSize1, dataTypeSize2, isBasicBlock);
}
inline void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     tiling::SoftMaxTiling& softmaxFlashTiling, const bool,
                                     const bool isBasicBlock = false, const bool isFlashOutputBrc = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || !npu_emu::softmax::isFloating(dataTypeSize1) || !npu_emu::softmax::isFloating(dataTypeSize2))
    return;
  softmaxFlashTiling = npu_emu::softmax::tileFlashV2(rows.m, rows.k, dataTypeSize1, dataTypeSize2,
                                                     localWorkSpaceSize / 4, isBasicBlock, isFlashOutputBrc);
}
inline void SoftMaxFlashV2TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     optiling::SoftMaxTiling& softmaxFlashTiling, const bool isUpdate,
                                     const bool isBasicBlock = false, const bool isFlashOutputBrc = false) {
  npu_emu::fill(softmaxFlashTiling, [&](tiling::SoftMaxTiling& plain) {
    SoftMaxFlashV2TilingFunc(srcShape, dataTypeSize1, dataTypeSize2, localWorkSpaceSize, plain, isUpdate, isBasicBlock,
                             isFlashOutputBrc);
  });
}

// SoftmaxFlashV3 takes half with float sums.
// api: GetSoftMaxFlashV3MaxMinTmpSize, SoftMaxFlashV3TilingFunc | S | - | documented
inline void GetSoftMaxFlashV3MaxMinTmpSize(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                           const uint32_t dataTypeSize2, uint32_t& maxValue, uint32_t& minValue,
                                           const bool, const bool = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || dataTypeSize1 != 2 || dataTypeSize2 != 4) return;
  minValue = npu_emu::softmax::rowOfFlashV3(rows.k, dataTypeSize2) * 4;
  maxValue = rows.m * minValue;
}
inline void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     tiling::SoftMaxTiling& softmaxFlashV3Tiling, const bool, const bool = false) {
  npu_emu::Rows rows(srcShape);
  if (rows.m == 0 || dataTypeSize1 != 2 || dataTypeSize2 != 4) return;
  softmaxFlashV3Tiling = npu_emu::softmax::tileFlashV3(rows.m, rows.k, dataTypeSize2, localWorkSpaceSize / 4);
}
inline void SoftMaxFlashV3TilingFunc(const TensorShape& srcShape, const uint32_t dataTypeSize1,
                                     const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                     optiling::SoftMaxTiling& softmaxFlashV3Tiling, const bool isUpdate,
                                     const bool isBasicBlock = false) {
  npu_emu::fill(softmaxFlashV3Tiling, [&](tiling::SoftMaxTiling& plain) {
    SoftMaxFlashV3TilingFunc(srcShape, dataTypeSize1, dataTypeSize2, localWorkSpaceSize, plain, isUpdate, isBasicBlock);
  });
}

// api: IsBasicBlockInSoftMax | S | - | documented
inline bool IsBasicBlockInSoftMax(tiling::SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2) {
  if (dataTypeSize == 0) return false;
  return tiling.tailM == 0 && tiling.srcK >= 256 / dataTypeSize && tiling.srcK < 2048 && tiling.srcK % 64 == 0;
}
inline bool IsBasicBlockInSoftMax(optiling::SoftMaxTiling& tiling, const uint32_t dataTypeSize = 2) {
  tiling::SoftMaxTiling plain;
  plain.srcK = tiling.get_srcK();
  plain.tailM = tiling.get_tailM();
  return IsBasicBlockInSoftMax(plain, dataTypeSize);
}

// api: GetLogSoftMaxMaxTmpSize, GetLogSoftMaxMinTmpSize, LogSoftMaxTilingFunc | S | - | documented
inline uint32_t GetLogSoftMaxMaxTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                        const bool isReuseSource) {
  return GetSoftMaxMaxTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline uint32_t GetLogSoftMaxMinTmpSize(const TensorShape srcShape, const uint32_t dataTypeSize,
                                        const bool isReuseSource) {
  return GetSoftMaxMinTmpSize(srcShape, dataTypeSize, isReuseSource);
}
inline void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize,
                                 const uint32_t localWorkSpaceSize, tiling::LogSoftMaxTiling& softmaxTiling) {
  tiling::SoftMaxTiling same;
  SoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, same);
  softmaxTiling = npu_emu::bitsAs<tiling::LogSoftMaxTiling>(same);
}
inline void LogSoftMaxTilingFunc(const TensorShape srcShape, const uint32_t dataTypeSize,
                                 const uint32_t localWorkSpaceSize, optiling::LogSoftMaxTiling& softmaxTiling) {
  npu_emu::fill(softmaxTiling, [&](tiling::LogSoftMaxTiling& plain) {
    LogSoftMaxTilingFunc(srcShape, dataTypeSize, localWorkSpaceSize, plain);
  });
}

}  // namespace AscendC
