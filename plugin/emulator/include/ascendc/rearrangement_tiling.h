// How rearrangements and TopK are cut, and the bytes of temporary memory they take: one source for the kernel and for
// the helpers of the host. Figures of a struct that no kernel on Atlas A2 reads are filled in all the same.
#pragma once

#include "reduce_sizes.h"
#include "tiling_structs.h"

namespace AscendC {

enum class TopKMode { TOPK_NORMAL, TOPK_NSMALL };
enum class TopKAlgo { RADIX_SELECT, MERGE_SORT };
enum class TopKOrder { UNSET, LARGEST, SMALLEST };

struct TopKConfig {
  TopKAlgo algo = TopKAlgo::MERGE_SORT;
  TopKOrder order = TopKOrder::UNSET;
  bool sorted = true;
};

}  // namespace AscendC

namespace npu_emu::sizes {

constexpr uint32_t cubeElements = 256, cubeSide = 16, addresses = 16;

constexpr Range pad(uint32_t height, uint32_t width) {
  return {roundUp(height * width, addresses) * block * 2, addresses * block * 2};
}

// A pair of buffers of 16 blocks each is the smallest temporary memory; this is how many fit.
constexpr uint32_t padBuffers(uint32_t temporaryBytes, uint32_t typeBytes) {
  return temporaryBytes / typeBytes / (addresses * block / typeBytes) / 2;
}

inline AscendC::tiling::PadTiling tilePad(uint32_t height, uint32_t width, uint32_t originalWidth,
                                          uint32_t temporaryBytes, uint32_t typeBytes) {
  AscendC::tiling::PadTiling t;
  const uint32_t perBlock = block / typeBytes;
  t.srcHeight = height;
  t.srcWidth = width;
  t.srcOriWidth = originalWidth;
  t.widthWithoutLastBlock = width - perBlock;
  t.blocksPerRow = width * typeBytes / block;
  t.heightTiling = 255;
  t.heightFractal = height / t.heightTiling;
  t.heightFractalTail = height % t.heightTiling;
  t.mainLoopOffset = t.heightTiling * width;
  t.tailBlockOffset = t.heightFractal * t.mainLoopOffset + t.widthWithoutLastBlock;
  t.tmpBuffer1BlockNum = padBuffers(temporaryBytes, typeBytes);
  if (t.tmpBuffer1BlockNum == 0) return t;
  t.tmpBuffer1RowNum = addresses * t.tmpBuffer1BlockNum;
  t.tmpBuffer2Offset = t.tmpBuffer1BlockNum * addresses * perBlock;
  t.widthTiling = t.tmpBuffer1RowNum;
  t.widthFractal = width / t.widthTiling;
  t.widthFractalTail = width % t.widthTiling;
  t.widthFractalTailAlingned = ((t.widthFractalTail - 1) / perBlock + 1) * perBlock;
  t.brcbTiling = t.tmpBuffer1RowNum;
  t.brcbFractal = height * width / t.brcbTiling;
  t.brcbFractalTail = height * width % t.brcbTiling;
  t.maxRepeatTimes = 254;
  t.brcbTilingRepeatTimes = t.brcbTiling / 8 / t.maxRepeatTimes;
  t.brcbTilingRepeatTimesTail = t.brcbTiling / 8 % t.maxRepeatTimes;
  t.brcbFractalTailRepeatTimes = t.brcbFractalTail / 8 / t.maxRepeatTimes;
  t.brcbFractalTailRepeatTimesTail = t.brcbFractalTail / 8 % t.maxRepeatTimes;
  return t;
}

inline AscendC::tiling::UnPadTiling tileUnPad(uint32_t height, uint32_t width, uint32_t temporaryBytes,
                                              uint32_t typeBytes) {
  AscendC::tiling::UnPadTiling t;
  t.srcHeight = height;
  t.srcWidth = width;
  t.tmpBuffer1BlockNum = padBuffers(temporaryBytes, typeBytes);
  if (t.tmpBuffer1BlockNum == 0) return t;
  t.tmpBuffer1RowNum = addresses * t.tmpBuffer1BlockNum;
  t.tmpBuffer2Offset = t.tmpBuffer1BlockNum * addresses * (block / typeBytes);
  t.widthTiling = t.tmpBuffer1RowNum;
  t.widthFractal = (width + t.widthTiling - 1) / t.widthTiling;
  t.widthFractalTail = width % t.widthTiling == 0 ? t.widthTiling : width % t.widthTiling;
  return t;
}

// The scenes of Transpose by number: 1, 2: axes 1 and 2 change places; 3, 4: the last axis is split; 5, 6: it is
// merged; 7: two axes change places. A shape is [B, N, S, H / N], in scene 7 [H, W].
struct Transposed {
  uint32_t scene, extents[4], typeBytes;
};

constexpr Range transpose(const Transposed& t) {
  if (t.scene == 1 || t.scene == 2)
    return {roundUp(t.extents[2], cubeSide) * cubeSide * t.typeBytes, cubeElements * t.typeBytes};
  const uint32_t all = t.scene >= 3 && t.scene <= 6 ? 2 * cubeElements * t.typeBytes : 0;
  return {all, all};
}

inline AscendC::tiling::ConfusionTransposeTiling tileTranspose(const Transposed& t, uint32_t temporaryBytes) {
  AscendC::tiling::ConfusionTransposeTiling r;
  const uint32_t perBlock = block / t.typeBytes, blocksPerSide = cubeSide / perBlock;
  r.param0 = perBlock;
  if (t.scene == 7) {
    r.param1 = t.extents[0];
    r.param2 = t.extents[1];
    r.param3 = t.extents[0] / cubeSide;
    r.param4 = t.extents[0] * perBlock * t.typeBytes / block;
    r.param5 = t.extents[1] / perBlock;
    return r;
  }
  const uint32_t batch = t.extents[0], n = t.extents[1], s = roundUp(t.extents[2], cubeSide), part = t.extents[3],
                 width = roundUp(part, cubeSide);
  const uint32_t sBlocks = s / cubeSide, parts = width / cubeSide, h = n * part,
                 hBlocks = roundUp(h, cubeSide) / cubeSide, gap = width - part;
  r.param1 = batch;
  r.param2 = n;
  if (t.scene <= 2) {
    const uint32_t room = temporaryBytes / t.typeBytes / cubeElements * cubeElements, needed = s * cubeSide;
    r.param3 = width;
    r.param4 = s;
    r.param5 = parts;
    r.param6 = room;
    r.param7 = room / cubeSide;
    r.param8 = needed;
    r.param9 = room == 0 ? 0 : needed / room;
    r.param10 = room == 0 ? 0 : needed % room;
    r.param11 = s * width;
    r.param12 = n * s * width;
    r.param13 = n * width;
    r.param14 = n * cubeSide;
    r.param15 = r.param7 * r.param9 * r.param13;
    return r;
  }
  r.param3 = part;
  const uint32_t split = n * width * s, whole = hBlocks * cubeSide * s;
  if (t.scene == 3) {
    r.param4 = blocksPerSide;
    r.param5 = h;
    r.param6 = hBlocks;
    r.param7 = sBlocks;
    r.param8 = hBlocks * cubeSide;
    r.param9 = s;
    r.param10 = parts;
    r.param11 = width;
    r.param12 = gap;
    r.param13 = s * cubeSide;
    r.param14 = n * parts;
    r.param15 = split;
    r.param16 = whole;
    return r;
  }
  r.param4 = h;
  r.param5 = hBlocks;
  r.param6 = sBlocks;
  r.param7 = parts;
  if (t.scene == 4) {
    r.param8 = width;
    r.param9 = gap;
    r.param10 = sBlocks * cubeElements;
    r.param11 = n * parts;
    r.param12 = s * width;
    r.param13 = width * cubeSide;
    r.param14 = width * perBlock;
    r.param15 = split;
    r.param16 = whole;
    r.param17 = blocksPerSide;
    return r;
  }
  r.param8 = hBlocks * cubeSide;
  r.param9 = sBlocks * cubeElements;
  r.param10 = r.param8 * cubeSide;
  r.param11 = r.param8 * perBlock;
  r.param12 = split;
  r.param13 = whole;
  r.param14 = blocksPerSide;
  return r;
}

struct TopK {
  uint32_t inner, outer, k, typeBytes;
  bool hasIndices, small, largest;
};

constexpr uint32_t topK(const TopK& t) {
  constexpr uint32_t pairBytes = 8, maskBytes = 64;
  const uint32_t all = t.inner * t.outer;
  if (!t.small) return t.inner * (2 * pairBytes + (t.hasIndices ? 0 : 4));
  return all * pairBytes + (t.largest ? 0 : all * 4) + maskBytes + (t.hasIndices ? 0 : all * 4);
}

// `count` fields of `width` bits, each with `field` in it.
constexpr uint32_t repeated(uint32_t field, uint32_t width, uint32_t count) {
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count && i * width < 32; ++i) bits |= field << (i * width);
  return bits;
}

inline AscendC::tiling::TopkTiling tileTopK(const TopK& t) {
  AscendC::tiling::TopkTiling r;
  const auto whole = [](uint32_t value) { return static_cast<int32_t>(value); };
  const uint32_t all = t.inner * t.outer, perPair = 8 / t.typeBytes, four = roundUp(t.k, 8), two = roundUp(t.k, 16);
  r.allDataSize = whole(all);
  r.kAlignFourBytes = whole(four);
  if (!t.small) {
    r.tmpLocalSize = whole(topK(t) / t.typeBytes);
    r.innerDataSize = whole(t.inner * perPair);
    r.copyUbToUbBlockCount = t.inner * 8 / block;
    r.sortRepeat = t.inner / 32;
    r.mrgSortRepeat = whole(t.inner / 4);
    r.kAlignTwoBytes = whole(two);
    r.maskOffset = whole(t.outer * (t.typeBytes == 2 ? two : four));
    r.maskVreducev2FourBytes = whole(2 * t.k);
    r.maskVreducev2TwoBytes = whole(4 * t.k);
    r.mrgSortSrc1offset = whole(perPair);
    r.mrgSortSrc2offset = whole(2 * perPair);
    r.mrgSortSrc3offset = whole(3 * perPair);
    r.mrgSortTwoQueueSrc1Offset = whole(perPair);
    r.mrgFourQueueTailPara1 = whole(2 * t.inner);
    r.mrgFourQueueTailPara2 = whole(4 / t.typeBytes);
    if (!t.hasIndices) r.srcIndexOffset = whole(t.inner * 16 / t.typeBytes);
    return r;
  }
  const uint32_t maskAt = all * perPair + (t.largest ? 0 : all), indicesAt = maskAt + 64 / t.typeBytes;
  r.innerDataSize = whole(all * perPair);
  r.maskOffset = whole(t.outer * t.k);
  r.topkMrgSrc1MaskSizeOffset = whole(maskAt);
  r.tmpLocalSize = whole(t.hasIndices ? indicesAt : indicesAt + all * 4 / t.typeBytes);
  if (!t.hasIndices) r.topkNSmallSrcIndexOffset = whole(indicesAt);
  const uint32_t first = t.k < 16 ? t.k : 16, second = t.k - first;
  r.vreduceIdxMask0 = repeated(2, 2, first);
  r.vreduceIdxMask1 = repeated(2, 2, second);
  if (t.typeBytes == 4) {
    r.vreduceValMask0 = repeated(1, 2, first);
    r.vreduceValMask1 = repeated(1, 2, second);
    return r;
  }
  uint16_t* masks[] = {&r.vreducehalfValMask0, &r.vreducehalfValMask1, &r.vreducehalfValMask2, &r.vreducehalfValMask3,
                       &r.vreducehalfValMask4, &r.vreducehalfValMask5, &r.vreducehalfValMask6, &r.vreducehalfValMask7};
  for (uint32_t i = 0; i < 8; ++i)
    *masks[i] = static_cast<uint16_t>(repeated(1, 4, t.k < 4 * i ? 0 : t.k - 4 * i < 4 ? t.k - 4 * i : 4));
  return r;
}

}  // namespace npu_emu::sizes
