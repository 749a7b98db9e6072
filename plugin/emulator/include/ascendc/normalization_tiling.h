// How the normalisations split their rows and how much temporary memory they take, for the host and the device. Memory is
// counted in floats: the functions compute in float whatever their types are.
#pragma once

#include "tiling_structs.h"

namespace npu_emu::norm {

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

// ---- LayerNorm of [B, S, H], mean and variance -----------------------------------------------------------------------

// The source can be worked in when it is float.
constexpr uint32_t buffersOfLayerNorm(uint32_t bytes, bool isReuseSource) { return isReuseSource && bytes == floatBytes ? 2 : 3; }

constexpr Range sizesOfLayerNorm(uint32_t rows, uint32_t h, uint32_t bytes, bool isReuseSource) {
  uint32_t buffers = buffersOfLayerNorm(bytes, isReuseSource), results = 2 * alignUp(rows, floatsPerBlock);
  return {buffers * alignUp(rows * h, floatsPerBlock) + results, buffers * alignUp(h, floatsPerBlock) + results};
}

// No rows at all where the memory is too small; the tiling then stays as it was.
constexpr bool tileLayerNorm(LayerNormTiling& tiling, uint32_t b, uint32_t s, uint32_t h, uint32_t originalH, uint32_t work, uint32_t bytes, bool isReuseSource) {
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

// ---- Normalize and LayerNorm of [A, R], mean and rstd ----------------------------------------------------------------

constexpr uint32_t paddedRow(uint32_t r, uint32_t bytes) { return alignUp(r, 32 / bytes); }

// `bytes` of the source, `weightBytes` of gamma and beta.
constexpr Range sizesOfNormalize(uint32_t a, uint32_t r, uint32_t weightBytes, uint32_t bytes) {
  uint32_t row = alignUp(bytes == 0 ? r : paddedRow(r, bytes), floatsPerBlock);
  return {2 * row + 2 * alignUp(a, 8) * row, max(alignUp(a, floatsPerBlock), (weightBytes == floatBytes ? 2 : 4) * row)};
}

constexpr Range sizesOfLayerNormRstd(uint32_t a, uint32_t r, uint32_t bytes) {
  uint32_t results = alignUp(a, floatsPerBlock), row = paddedRow(r, bytes);
  Range normalize = sizesOfNormalize(a, r, bytes, bytes);
  return {results + max(2 * alignUp(a * row, floatsPerBlock), normalize.most), results + max(2 * alignUp(row, floatsPerBlock), normalize.least)};
}

constexpr bool tileLayerNormRstd(LayerNormSeparateTiling& tiling, uint32_t a, uint32_t r, uint32_t work, uint32_t bytes) {
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

// ---- RmsNorm ---------------------------------------------------------------------------------------------------------

constexpr uint32_t basicBlockRows = 8, basicBlockColumns = 64, basicBlockLimit = 2048;

constexpr bool isBasicBlockOfRmsNorm(uint32_t rows, uint32_t h) { return rows % basicBlockRows == 0 && h % basicBlockColumns == 0 && h < basicBlockLimit; }

constexpr uint32_t buffersOfRmsNorm(uint32_t bytes) { return bytes == halfBytes ? 2 : 1; }

constexpr Range sizesOfRmsNorm(uint32_t rows, uint32_t h, uint32_t bytes) {
  return {rows * h * buffersOfRmsNorm(bytes) + alignUp(rows, 32 / bytes), h * buffersOfRmsNorm(bytes) + floatsPerBlock};
}

constexpr bool tileRmsNorm(RmsNormTiling& tiling, uint32_t b, uint32_t s, uint32_t h, uint32_t originalH, uint32_t work, uint32_t bytes, bool isBasicBlock) {
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

// ---- Welford ---------------------------------------------------------------------------------------------------------

constexpr uint32_t repeatsOfWelfordUpdate(uint32_t bytes, bool isReuseSource) { return bytes == halfBytes ? 3 : isReuseSource ? 1 : 2; }

constexpr Range sizesOfWelfordUpdate(uint32_t elements, uint32_t bytes, bool isReuseSource) {
  uint32_t least = repeatsOfWelfordUpdate(bytes, isReuseSource) * repeatFloats;
  return {(elements + repeatFloats - 1) / repeatFloats * least, least};
}

constexpr Range sizesOfWelfordFinalize(uint32_t elements) {
  return {elements <= repeatFloats ? 4 * repeatFloats : 2 * repeatFloats + 2 * elements, 4 * repeatFloats};
}

}  // namespace npu_emu::norm
