// How the normalisations split their rows and how much temporary memory they take, for the host and the device. Memory
// is counted in floats: the functions compute in float whatever their types are.
#pragma once

#include "tiling_structs.h"

namespace npu_emu::norm {

using AscendC::tiling::BatchNormTiling;
using AscendC::tiling::DeepNormTiling;
using AscendC::tiling::GroupNormTiling;
using AscendC::tiling::LayerNormGradBetaTiling;
using AscendC::tiling::LayerNormGradTiling;
using AscendC::tiling::LayerNormSeparateTiling;
using AscendC::tiling::LayerNormTiling;
using AscendC::tiling::RmsNormTiling;

constexpr uint32_t floatsPerBlock = 8, halfBytes = 2, floatBytes = 4, repeatFloats = 64;

constexpr uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
constexpr uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }
constexpr uint32_t alignUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }
constexpr bool isFloating(uint32_t bytes) { return bytes == halfBytes || bytes == floatBytes; }

// Sizes in floats.
struct Range {
  uint32_t most, least;
};

// LayerNorm of [B, S, H], mean and variance.

// The source can be worked in when it is float.
constexpr uint32_t buffersOfLayerNorm(uint32_t bytes, bool isReuseSource) {
  return isReuseSource && bytes == floatBytes ? 2 : 3;
}

constexpr Range sizesOfLayerNorm(uint32_t rows, uint32_t h, uint32_t bytes, bool isReuseSource) {
  uint32_t buffers = buffersOfLayerNorm(bytes, isReuseSource), results = 2 * alignUp(rows, floatsPerBlock);
  return {buffers * alignUp(rows * h, floatsPerBlock) + results, buffers * alignUp(h, floatsPerBlock) + results};
}

// No rows at all where the memory is too small; the tiling then stays as it was.
constexpr bool tileLayerNorm(LayerNormTiling& tiling, uint32_t b, uint32_t s, uint32_t h, uint32_t originalH,
                             uint32_t work, uint32_t bytes, bool isReuseSource) {
  uint32_t rows = b * s, size = rows * h, buffers = buffersOfLayerNorm(bytes, isReuseSource);
  uint32_t results = alignUp(rows, floatsPerBlock), reserved = bytes == floatBytes ? 0 : 2 * results;
  if (work < reserved || h == 0 || originalH == 0) return false;
  uint32_t one = min((work - reserved) / buffers / h * h, size);
  if (one == 0) return false;
  tiling.bLength = b;
  tiling.sLength = s;
  tiling.hLength = h;
  tiling.originalHLength = originalH;
  tiling.inputXSize = size;
  tiling.meanVarSize = rows;
  tiling.numberOfTmpBuf = buffers;
  tiling.meanTmpTensorPos = 0;
  tiling.meanTmpTensorSize = tiling.varianceTmpTensorPos = tiling.varianceTmpTensorSize = results;
  tiling.tmpBufSize = work;
  tiling.oneTmpSize = tiling.inputRoundSize = tiling.bshCurLength = one;
  tiling.firstTmpStartPos = reserved;
  tiling.secondTmpStartPos = reserved + one;
  tiling.thirdTmpStartPos = reserved + 2 * one;
  tiling.loopRound = size / one;
  tiling.inputTailSize = size % one;
  tiling.inputTailPos = size - tiling.inputTailSize;
  tiling.meanVarRoundSize = tiling.bsCurLength = one / h;
  tiling.meanVarTailSize = tiling.inputTailSize / h;
  tiling.meanVarTailPos = rows - tiling.meanVarTailSize;
  tiling.lastDimValueBack = 1.0f / static_cast<float>(originalH);
  return true;
}

// Normalize and LayerNorm of [A, R], mean and rstd.

constexpr uint32_t paddedRow(uint32_t r, uint32_t bytes) { return alignUp(r, 32 / bytes); }

// `bytes` of the source, `weightBytes` of gamma and beta.
constexpr Range sizesOfNormalize(uint32_t a, uint32_t r, uint32_t weightBytes, uint32_t bytes) {
  uint32_t row = alignUp(bytes == 0 ? r : paddedRow(r, bytes), floatsPerBlock);
  return {2 * row + 2 * alignUp(a, 8) * row,
          max(alignUp(a, floatsPerBlock), (weightBytes == floatBytes ? 2 : 4) * row)};
}

constexpr Range sizesOfLayerNormRstd(uint32_t a, uint32_t r, uint32_t bytes) {
  uint32_t results = alignUp(a, floatsPerBlock), row = paddedRow(r, bytes);
  Range normalize = sizesOfNormalize(a, r, bytes, bytes);
  return {results + max(2 * alignUp(a * row, floatsPerBlock), normalize.most),
          results + max(2 * alignUp(row, floatsPerBlock), normalize.least)};
}

constexpr bool tileLayerNormRstd(LayerNormSeparateTiling& tiling, uint32_t a, uint32_t r, uint32_t work,
                                 uint32_t bytes) {
  uint32_t row = paddedRow(r, bytes), size = a * row, results = alignUp(a, floatsPerBlock);
  if (work < results || row == 0) return false;
  uint32_t one = min((work - results) / 2 / row * row, size);
  if (one == 0) return false;
  tiling.aLength = a;
  tiling.rLength = r;
  tiling.inputXSize = size;
  tiling.meanVarSize = a;
  tiling.numberOfTmpBuf = 2;
  tiling.varianceTmpTensorPos = 0;
  tiling.varianceTmpTensorSize = results;
  tiling.tmpBufSize = work;
  tiling.oneTmpSize = tiling.inputRoundSize = tiling.arCurLength = one;
  tiling.firstTmpStartPos = results;
  tiling.secondTmpStartPos = results + one;
  tiling.loopRound = size / one;
  tiling.inputTailSize = size % one;
  tiling.inputTailPos = size - tiling.inputTailSize;
  tiling.meanVarRoundSize = tiling.aCurLength = one / row;
  tiling.meanVarTailSize = tiling.inputTailSize / row;
  tiling.meanVarTailPos = a - tiling.meanVarTailSize;
  tiling.rValueBack = 1.0f / static_cast<float>(r);
  return true;
}

// RmsNorm.

constexpr uint32_t basicBlockRows = 8, basicBlockColumns = 64, basicBlockLimit = 2048;

constexpr bool isBasicBlockOfRmsNorm(uint32_t rows, uint32_t h) {
  return rows % basicBlockRows == 0 && h % basicBlockColumns == 0 && h < basicBlockLimit;
}

constexpr uint32_t buffersOfRmsNorm(uint32_t bytes) { return bytes == halfBytes ? 2 : 1; }

constexpr Range sizesOfRmsNorm(uint32_t rows, uint32_t h, uint32_t bytes) {
  return {rows * h * buffersOfRmsNorm(bytes) + alignUp(rows, 32 / bytes), h * buffersOfRmsNorm(bytes) + floatsPerBlock};
}

constexpr bool tileRmsNorm(RmsNormTiling& tiling, uint32_t b, uint32_t s, uint32_t h, uint32_t originalH, uint32_t work,
                           uint32_t bytes, bool isBasicBlock) {
  constexpr uint32_t repeatLimit = 255;
  uint32_t size = b * s * h, atATime = 1, buffers = buffersOfRmsNorm(bytes);
  while (atATime < b * s && work >= (atATime + 1) * h * buffers + alignUp(atATime + 1, floatsPerBlock)) ++atATime;
  if (isBasicBlock) atATime = atATime < basicBlockRows ? atATime : atATime / basicBlockRows * basicBlockRows;
  else atATime = min(atATime, repeatLimit);
  tiling.bLength = b;
  tiling.sLength = s;
  tiling.hLength = h;
  tiling.originalHLength = originalH;
  tiling.reciprocalOfHLength = 1.0f / static_cast<float>(originalH);
  tiling.mainBshLength = atATime * h;
  tiling.mainBsLength = atATime;
  tiling.mainBsLengthAlign = alignUp(atATime, floatsPerBlock);
  tiling.loopRound = size / tiling.mainBshLength;
  tiling.tailBshLength = size % tiling.mainBshLength;
  tiling.inputTailPos = size - tiling.tailBshLength;
  tiling.tailBsLength = tiling.tailBshLength / h;
  return true;
}

// The gradients of LayerNorm.

constexpr uint32_t buffersOfLayerNormGrad(uint32_t bytes, bool isReuseSource) {
  return bytes == halfBytes ? 9 : isReuseSource ? 4 : 6;
}

// In elements of the source.
constexpr Range sizesOfLayerNormGrad(uint32_t rows, uint32_t h, uint32_t bytes, bool isReuseSource) {
  uint32_t buffers = buffersOfLayerNormGrad(bytes, isReuseSource);
  return {buffers * max(rows * h, h * h), buffers * min(rows * h, h * h)};
}

inline uint32_t bitsOf(float value) {
  uint32_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline bool tileLayerNormGrad(LayerNormGradTiling& tiling, uint32_t b, uint32_t s, uint32_t h, uint32_t originalH,
                              uint32_t workBytes, uint32_t bytes, bool isReuseSource) {
  uint32_t size = b * s * h,
           rows = h == 0 ? 0 : workBytes / floatBytes / buffersOfLayerNormGrad(bytes, isReuseSource) / h;
  if (rows == 0 || b == 0 || s == 0 || originalH == 0) return false;
  rows = alignUp(rows, 32 / bytes);
  const uint32_t one = rows * h, ofVariance = one, ofMean = 2 * one;
  tiling.stackBufferSize = workBytes;
  tiling.bLength = b;
  tiling.sLength = s;
  tiling.hLength = h;
  tiling.originalHLength = originalH;
  tiling.oneCalSize = one;
  tiling.nohCalSize = rows;
  tiling.loopNum = size / one;
  tiling.tailSize = size % one;
  tiling.nohTailSize = tiling.tailSize / h;
  tiling.tmpTensorBSHPos = 0;
  tiling.pdVarTensorPos = ofVariance;
  tiling.pdMeanTensorPos = ofMean;
  const bool inSources = isReuseSource && bytes == floatBytes;
  tiling.x1TensorPos = inSources ? 0 : 3 * one;
  tiling.x2TensorPos = inSources ? 0 : 4 * one;
  tiling.x3TensorPos = inSources ? 3 * one : 5 * one;
  const bool isHalf = bytes == halfBytes;
  tiling.tmpTensorPos = isHalf ? 6 * one : 0;
  tiling.tmpTensor1Pos = isHalf ? 7 * one : 0;
  tiling.tmpTensor2Pos = isHalf ? 8 * one : 0;
  tiling.tmpTensorBSHSize = tiling.pdVarTensorSize = tiling.pdMeanTensorSize = tiling.x1TensorSize =
      tiling.x2TensorSize = one;
  tiling.x3TensorSize = tiling.tmpTensorSize = tiling.tmpTensor1Size = tiling.tmpTensor2Size = one;
  tiling.lastDimValueBack = bitsOf(1.0f / static_cast<float>(originalH));
  tiling.lastDimValueBackMulTwo = bitsOf(2.0f / static_cast<float>(originalH));
  return true;
}

// Floats up to the end of the last buffer: rows are rounded up after the memory was divided, so it may not suffice.
constexpr uint64_t endOfLayerNormGrad(const LayerNormGradTiling& tiling, uint64_t size, uint32_t bytes,
                                      bool isReuseSource) {
  return uint64_t(buffersOfLayerNormGrad(bytes, isReuseSource) - 1) * tiling.oneCalSize +
         (size < tiling.oneCalSize ? size : tiling.oneCalSize);
}

constexpr Range sizesOfLayerNormGradBeta(uint32_t rows, uint32_t h, uint32_t bytes) {
  uint32_t buffers = bytes == halfBytes ? 4 : 2;
  return {buffers * rows * h, buffers * h};
}

constexpr bool tileLayerNormGradBeta(LayerNormGradBetaTiling& tiling, uint32_t b, uint32_t s, uint32_t h,
                                     uint32_t originalH, uint32_t work, uint32_t bytes) {
  const bool isHalf = bytes == halfBytes;
  if (h == 0 || work < 2 * h) return false;
  uint32_t size = b * s * h, one = min((isHalf ? (work - 2 * h) / 2 : work) / h * h, size);
  if (one == 0) return false;
  tiling.stackBufferSize = work;
  tiling.bLength = b;
  tiling.sLength = s;
  tiling.hLength = h;
  tiling.originalHLength = originalH;
  tiling.bshLength = size;
  tiling.bsLength = b * s;
  tiling.oneCalSize = tiling.bshCurLength = one;
  tiling.numberOfTmpBuf = isHalf ? 2 : 1;
  tiling.loopRound = size / one;
  tiling.inputTailSize = size % one;
  tiling.inputTailPos = size - tiling.inputTailSize;
  tiling.bsTailSize = tiling.inputTailSize / h;
  tiling.bsCurLength = one / h;
  tiling.gammaTempTensorPos = 0;
  tiling.betaTempTensorPos = isHalf ? h : 0;
  tiling.inputDyTmpTensorPos = isHalf ? 2 * h : 0;
  tiling.resForGammaTmpTensorPos = isHalf ? 2 * h + one : 0;
  return true;
}

// GroupNorm.

// What [N, C, H, W] in g groups come to: `one` is the padded size of a group.
struct Groups {
  uint32_t n, c, hw, g, bytes;
  constexpr uint32_t channels() const { return c / g; }
  constexpr uint32_t channel() const { return alignUp(hw, 32 / bytes); }
  constexpr uint32_t one() const { return channels() * channel(); }
  constexpr uint32_t count() const { return n * g; }
};

constexpr Range sizesOfGroupNorm(const Groups& groups, bool isReuseSource) {
  uint32_t buffers = buffersOfLayerNorm(groups.bytes, isReuseSource),
           results = 2 * alignUp(groups.count(), floatsPerBlock);
  return {buffers * groups.n * groups.c * groups.channel() + results, buffers * groups.one() + results};
}

// A group that two instructions can sum up: repeats of at most 64 elements of which at most 8 are added.
constexpr bool isSmallGroup(const Groups& groups) {
  uint32_t parts = 8;
  while (groups.one() / floatsPerBlock % parts != 0) --parts;
  return groups.channel() <= repeatFloats && groups.one() <= repeatFloats * parts;
}

constexpr bool tileGroupNorm(GroupNormTiling& tiling, const Groups& groups, uint32_t workBytes, bool isReuseSource) {
  const uint32_t one = groups.one(), size = groups.n * groups.c * groups.channel(),
                 results = alignUp(groups.count(), floatsPerBlock);
  const uint32_t work = workBytes / 32 * 8, reserved = groups.bytes == floatBytes ? 0 : 2 * results,
                 buffers = buffersOfLayerNorm(groups.bytes, isReuseSource);
  if (one == 0 || work < reserved) return false;
  uint32_t atATime = (work - reserved) / buffers / one;
  const bool isSmall = isSmallGroup(groups);
  if (isSmall) {
    uint32_t mask = min(one, repeatFloats);
    while (one % mask != 0) mask -= floatsPerBlock;
    atATime = min(atATime, 255 / (one / mask) / 8 * 8);
  }
  if (groups.bytes == halfBytes && atATime * one < groups.c) return false;
  if (atATime * one > size) atATime = groups.count();
  if (atATime == 0) return false;
  tiling.n = groups.n;
  tiling.c = groups.c;
  tiling.hw = groups.hw;
  tiling.g = groups.g;
  tiling.d = groups.channels();
  tiling.hwAlignSize = groups.channel();
  tiling.dhwAlignSize = one;
  tiling.inputXSize = size;
  tiling.meanVarSize = groups.count();
  tiling.numberOfTmpBuf = buffers;
  tiling.meanTmpTensorPos = 0;
  tiling.meanTmpTensorSize = tiling.varianceTmpTensorPos = tiling.varianceTmpTensorSize = results;
  tiling.tmpBufSize = work;
  tiling.oneTmpSize = tiling.inputRoundSize = tiling.bshCurLength = atATime * one;
  tiling.firstTmpStartPos = reserved;
  tiling.secondTmpStartPos = reserved + tiling.oneTmpSize;
  tiling.thirdTmpStartPos = reserved + 2 * tiling.oneTmpSize;
  tiling.loopRound = size / tiling.oneTmpSize;
  tiling.inputTailSize = size % tiling.oneTmpSize;
  tiling.inputTailPos = size - tiling.inputTailSize;
  tiling.meanVarRoundSize = tiling.bsCurLength = atATime;
  tiling.meanVarTailSize = tiling.inputTailSize / one;
  tiling.meanVarTailPos = groups.count() - tiling.meanVarTailSize;
  tiling.factor = 1.0f / static_cast<float>(groups.channels() * groups.hw);
  tiling.smallShape = isSmall;
  return true;
}

// BatchNorm of [B, S * H].

constexpr Range sizesOfBatchNorm(uint32_t batches, uint32_t row, uint32_t bytes, bool isBasicBlock) {
  uint32_t results = 2 * alignUp(row, floatsPerBlock), least = isBasicBlock         ? repeatFloats
                                                               : bytes == halfBytes ? 16
                                                                                    : 8;
  return {3 * alignUp(batches * row, floatsPerBlock) + results, 3 * batches * least + results};
}

constexpr bool tileBatchNorm(BatchNormTiling& tiling, uint32_t batches, uint32_t row, uint32_t work, uint32_t bytes,
                             bool isBasicBlock) {
  const uint32_t results = alignUp(row, floatsPerBlock), reserved = bytes == floatBytes ? 0 : 2 * results,
                 block = batches * (bytes == halfBytes ? 16 : 8);
  if (work < reserved || block == 0) return false;
  uint32_t one = min((work - reserved) / 3 / block * block, batches * row);
  if (isBasicBlock) one = one / batches / repeatFloats * repeatFloats * batches;
  if (one == 0) return false;
  tiling.originalBLength = batches;
  tiling.meanVarSize = row;
  tiling.meanTmpTensorPos = 0;
  tiling.varianceTmpTensorPos = results;
  tiling.tmpBufSize = work;
  tiling.oneTmpSize = tiling.bshCurLength = one;
  tiling.firstTmpStartPos = reserved;
  tiling.secondTmpStartPos = reserved + one;
  tiling.thirdTmpStartPos = reserved + 2 * one;
  tiling.loopRound = batches * row / one;
  tiling.inputTailSize = batches * row % one;
  tiling.inputTailPos = (batches * row - tiling.inputTailSize) / batches;
  tiling.meanVarTailSize = tiling.inputTailSize / batches;
  tiling.meanVarTailPos = row - tiling.meanVarTailSize;
  tiling.shCurLength = one / batches;
  tiling.firstDimValueBack = 1.0f / static_cast<float>(batches);
  tiling.castHalfRepStride = 4;
  tiling.shCurLengthBlockNum = tiling.shCurLength / floatsPerBlock;
  tiling.castHalfOutRepStride = row / 16;
  return true;
}

// DeepNorm.

constexpr uint32_t longestDeepNorm = 2040;

constexpr bool isBasicBlockOfDeepNorm(uint32_t rows, uint32_t h) {
  return rows % basicBlockRows == 0 && h % basicBlockColumns == 0 && h != 0;
}

constexpr bool tileDeepNorm(DeepNormTiling& tiling, uint32_t b, uint32_t s, uint32_t h, uint32_t originalH,
                            uint32_t work, uint32_t bytes, bool isReuseSource, bool isBasicBlock) {
  const uint32_t rows = b * s, size = rows * h, buffers = buffersOfLayerNorm(bytes, isReuseSource);
  const uint32_t results = alignUp(rows, floatsPerBlock), reserved = bytes == floatBytes ? 0 : 2 * results;
  if (work < reserved || h == 0 || originalH == 0) return false;
  uint32_t atATime = min((work - reserved) / buffers / h, rows);
  if (isBasicBlock && atATime >= basicBlockRows) atATime = atATime / basicBlockRows * basicBlockRows;
  const uint32_t one = atATime * h;
  if (one == 0) return false;
  tiling.bLength = b;
  tiling.sLength = s;
  tiling.hLength = h;
  tiling.originalHLength = originalH;
  tiling.inputXSize = size;
  tiling.meanVarSize = rows;
  tiling.numberOfTmpBuf = buffers;
  tiling.meanTmpTensorPos = 0;
  tiling.meanTmpTensorSize = tiling.varianceTmpTensorPos = tiling.varianceTmpTensorSize = results;
  tiling.tmpBufSize = work;
  tiling.oneTmpSize = tiling.inputRoundSize = tiling.bshCurLength = one;
  tiling.firstTmpStartPos = reserved;
  tiling.secondTmpStartPos = reserved + one;
  tiling.thirdTmpStartPos = reserved + 2 * one;
  tiling.loopRound = size / one;
  tiling.inputTailSize = size % one;
  tiling.inputTailPos = size - tiling.inputTailSize;
  tiling.meanVarRoundSize = tiling.bsCurLength = atATime;
  tiling.meanVarTailSize = tiling.inputTailSize / h;
  tiling.meanVarTailPos = rows - tiling.meanVarTailSize;
  tiling.lastDimValueBack = 1.0f / static_cast<float>(originalH);
  return true;
}

// Welford.

constexpr uint32_t repeatsOfWelfordUpdate(uint32_t bytes, bool isReuseSource) {
  return bytes == halfBytes ? 3 : isReuseSource ? 1 : 2;
}

constexpr Range sizesOfWelfordUpdate(uint32_t elements, uint32_t bytes, bool isReuseSource) {
  uint32_t least = repeatsOfWelfordUpdate(bytes, isReuseSource) * repeatFloats;
  return {(elements + repeatFloats - 1) / repeatFloats * least, least};
}

constexpr Range sizesOfWelfordFinalize(uint32_t elements) {
  return {elements <= repeatFloats ? 4 * repeatFloats : 2 * repeatFloats + 2 * elements, 4 * repeatFloats};
}

}  // namespace npu_emu::norm
