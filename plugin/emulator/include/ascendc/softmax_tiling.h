// How the softmax functions split their rows and how much temporary memory they take, for the host and the device.
// Memory is counted in floats: the functions compute in float whatever their types are.
#pragma once

#include "tiling_structs.h"

namespace npu_emu::softmax {

using AscendC::tiling::SoftMaxTiling;

constexpr uint32_t blockBytes = 32, halfBytes = 2, floatBytes = 4;
constexpr uint32_t lanes = 64;    // floats of one repeat
constexpr uint32_t tileRows = 8;  // rows whose results fill one block of floats
constexpr uint32_t repeatLimit = 256;
constexpr uint32_t wideRow = 1024;  // a row length that takes one more repeat in a basic block
constexpr uint32_t nzColumns = 16;  // columns of a fractal

constexpr uint32_t min(uint32_t a, uint32_t b) { return a < b ? a : b; }
constexpr uint32_t max(uint32_t a, uint32_t b) { return a > b ? a : b; }
constexpr bool isFloating(uint32_t bytes) { return bytes == halfBytes || bytes == floatBytes; }
constexpr uint32_t perBlock(uint32_t bytes) { return blockBytes / bytes; }

// Floats for each row that is computed at a time.

constexpr uint32_t rowOfSoftMax(uint32_t k, uint32_t bytes) { return perBlock(bytes) + k + lanes; }

constexpr uint32_t rowOfFlash(uint32_t k, uint32_t bytes, bool isUpdate) {
  return isUpdate ? 4 * perBlock(bytes) + 2 * k : rowOfSoftMax(k, bytes);
}

constexpr uint32_t rowOfGrad(uint32_t k, uint32_t bytes, bool isFront) {
  if (bytes == halfBytes) return 2 * perBlock(bytes) + 3 * k + lanes;
  return (isFront ? 1 : 2) * perBlock(bytes) + k + lanes;
}

// `bytes` of src and dst, `sumBytes` of max and sum.
constexpr uint32_t rowOfFlashV2(uint32_t k, uint32_t bytes, uint32_t sumBytes, bool isBasicBlock) {
  uint32_t converted = bytes == halfBytes ? k : 0;
  if (isBasicBlock) return perBlock(sumBytes) + converted + (k == wideRow ? 2 : 1) * lanes;
  return (bytes == halfBytes ? 2 : 1) * perBlock(sumBytes) + converted + lanes;
}

constexpr uint32_t rowOfFlashV3(uint32_t k, uint32_t sumBytes) { return 5 * perBlock(sumBytes) + 2 * k + lanes; }

// Rows at a time.

constexpr bool isWholeTiles(uint32_t m, uint32_t k) { return m % tileRows == 0 && k % lanes == 0; }

// Basic blocks: rows that divide `m` and whose repeats fit one instruction.
constexpr uint32_t basicBlockRows(uint32_t rows, uint32_t m, uint32_t k) {
  // more rows fit no memory
  if (rows <= tileRows || rows > 1024 || !isWholeTiles(m, k)) return rows;
  rows = rows / tileRows * tileRows;
  while (m % rows != 0) rows -= tileRows;
  while (rows * k >= lanes * repeatLimit) rows /= 2;
  return rows;
}

constexpr uint32_t wholeTiles(uint32_t rows, uint32_t m, uint32_t unit = tileRows) {
  return rows < m && rows > unit ? rows / unit * unit : rows;
}

// What every function of the family keeps in its tiling: `rows` of `m` at a time.
constexpr SoftMaxTiling tilingOf(uint32_t m, uint32_t k, uint32_t block, uint32_t rows) {
  SoftMaxTiling tiling;
  tiling.srcM = tiling.outMaxM = m;
  tiling.srcK = tiling.splitK = k;
  tiling.srcSize = m * k;
  tiling.outMaxK = tiling.reduceK = block;
  tiling.outMaxSize = m * block;
  tiling.splitM = tiling.reduceM = rows;
  tiling.splitSize = rows * k;
  tiling.reduceSize = rows * block;
  if (rows == 0) return tiling;
  tiling.rangeM = m / rows;
  tiling.tailM = m % rows;
  tiling.tailSplitSize = tiling.tailM * k;
  tiling.tailReduceSize = tiling.tailM * block;
  return tiling;
}

constexpr SoftMaxTiling tileSoftMax(uint32_t m, uint32_t k, uint32_t bytes, uint32_t work) {
  uint32_t rows = wholeTiles(min(work / rowOfSoftMax(k, bytes), m), m);
  return tilingOf(m, k, perBlock(bytes), basicBlockRows(rows, m, k));
}

constexpr SoftMaxTiling tileFlash(uint32_t m, uint32_t k, uint32_t bytes, uint32_t work, bool isUpdate) {
  uint32_t rows = wholeTiles(min(work / rowOfFlash(k, bytes, isUpdate), m), m);
  return tilingOf(m, k, perBlock(bytes), basicBlockRows(rows, m, k));
}

constexpr SoftMaxTiling tileGrad(uint32_t m, uint32_t k, uint32_t bytes, uint32_t work, bool isFront) {
  uint32_t rows = wholeTiles(min(work / rowOfGrad(k, bytes, isFront), m), m);
  return tilingOf(m, k, perBlock(bytes), basicBlockRows(rows, m, k));
}

// Without broadcast results are packed, so that half takes 16 rows to fill a block.
constexpr uint32_t tileOfFlashV2(uint32_t bytes, bool isPacked) {
  return isPacked && bytes == halfBytes ? 16 : tileRows;
}

constexpr SoftMaxTiling tileFlashV2(uint32_t m, uint32_t k, uint32_t bytes, uint32_t sumBytes, uint32_t work,
                                    bool isBasicBlock, bool isPacked) {
  bool isBasic = isBasicBlock && isWholeTiles(m, k);
  uint32_t rows = min(work / rowOfFlashV2(k, bytes, sumBytes, isBasic), m);
  if (isBasic) rows = basicBlockRows(rows, m, k);
  return tilingOf(m, k, perBlock(sumBytes), wholeTiles(rows, m, tileOfFlashV2(bytes, isPacked)));
}

constexpr SoftMaxTiling tileFlashV3(uint32_t m, uint32_t k, uint32_t sumBytes, uint32_t work) {
  return tilingOf(m, k, perBlock(sumBytes), wholeTiles(min(work / rowOfFlashV3(k, sumBytes), m), m));
}

// The split that SoftMaxFlashV2TilingFunc makes on the device differs from the host's in the fractal format, in basic
// blocks and in the reserve for rows of 1024.
constexpr SoftMaxTiling tileFlashV2OnDevice(uint32_t m, uint32_t k, uint32_t bytes, uint32_t sumBytes, uint32_t work,
                                            bool isBasicBlock, bool isNz, bool isPacked) {
  uint32_t rows = 0;
  if (isNz) {
    rows = work / (3 * nzColumns + k);
  } else if (isBasicBlock && isWholeTiles(m, k)) {
    rows = basicBlockRows(min(work / (perBlock(sumBytes) + (bytes == halfBytes ? k : 0) + lanes), m), m, k);
  } else {
    rows = work / rowOfFlashV2(k, bytes, sumBytes, false);
  }
  return tilingOf(m, k, perBlock(sumBytes), min(wholeTiles(rows, m, tileOfFlashV2(bytes, isPacked)), m));
}

// Temporary memory, in bytes.

constexpr uint32_t leastOfFlashV2(uint32_t m, uint32_t k, uint32_t bytes, uint32_t sumBytes, bool isBasicBlock,
                                  bool isPacked) {
  bool isBasic = isBasicBlock && k % lanes == 0;
  uint32_t row = rowOfFlashV2(k, bytes, sumBytes, isBasic);
  if (isPacked) return row * min(blockBytes / bytes, m) * floatBytes;
  return row * (isBasic ? tileRows : 1) * floatBytes;
}

constexpr uint32_t mostOfFlashV2(uint32_t m, uint32_t k, uint32_t bytes, uint32_t sumBytes, bool isBasicBlock) {
  bool isBasic = isBasicBlock && isWholeTiles(m, k);
  if (isBasic) {
    while (m * k >= lanes * repeatLimit) m /= 2;
  }
  return m * rowOfFlashV2(k, bytes, sumBytes, isBasic) * floatBytes;
}

}  // namespace npu_emu::softmax
