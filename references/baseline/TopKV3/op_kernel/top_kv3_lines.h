// What both ways of working share: how lines come in and results go out, and the keys that lines are sorted by.
#pragma once

#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t TILE_LENGTH = 4096;  // keys that are sorted at a time
constexpr uint32_t FIRST_LIST = 32;     // what one instruction sorts
constexpr uint32_t MERGED_LISTS = 4;
constexpr uint32_t PAIR = 2;           // floats of a key and its position
constexpr uint32_t LANES = 16;         // float16 elements of 32 bytes
constexpr float PENALTY = -131072.0f;  // below the key of every element

__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t AlignUp(uint32_t a, uint32_t b) { return CeilDiv(a, b) * b; }
__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// float16 numbers are ordered like the integers whose bits they are, except that the negative ones go backwards. The
// same formula leads back: it mirrors negative integers at -16384.5. `sign` and `mirrored` are for temporaries.
__aicore__ inline void Mirror(const LocalTensor<float>& keys, const LocalTensor<float>& sign,
                              const LocalTensor<float>& mirrored, int32_t count) {
  Maxs(sign, keys, -1.0f, count);
  Mins(sign, sign, 0.0f, count);
  Muls(mirrored, keys, 2.0f, count);
  Adds(mirrored, mirrored, 32769.0f, count);
  Mul(sign, sign, mirrored, count);
  Add(keys, keys, sign, count);
}

// Keys that order like the elements: any NaN comes after infinity, and -0 before 0.
__aicore__ inline void MakeKeys(const LocalTensor<float>& keys, const LocalTensor<half>& elements,
                                const LocalTensor<float>& one, const LocalTensor<float>& other, bool largest,
                                int32_t count) {
  Cast(keys, elements.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, count);
  Mirror(keys, one, other, count);
  // A negative NaN has a key below that of -infinity, -31745: it becomes the positive one.
  Muls(one, keys, -1.0f, count);
  Adds(one, one, -1.0f, count);
  Adds(other, one, -31744.0f, count);
  Maxs(other, other, 0.0f, count);
  Mins(other, other, 1.0f, count);
  Sub(one, one, keys, count);
  Mul(one, one, other, count);
  Add(keys, keys, one, count);
  if (!largest) {
    Muls(keys, keys, -1.0f, count);
  }
}

__aicore__ inline void MakeElements(const LocalTensor<half>& elements, const LocalTensor<float>& keys,
                                    const LocalTensor<float>& one, const LocalTensor<float>& other, bool largest,
                                    int32_t count) {
  if (!largest) {
    Muls(keys, keys, -1.0f, count);
  }
  Mirror(keys, one, other, count);
  Cast(elements.ReinterpretCast<int16_t>(), keys, RoundMode::CAST_RINT, count);
}

// What is added to keys at positions from `length` on, which are none of the line.
__aicore__ inline void MakePenalties(const LocalTensor<float>& penalties, uint32_t length, int32_t count) {
  CreateVecIndex(penalties, 0.0f, static_cast<uint32_t>(count));
  Adds(penalties, penalties, 1.0f - static_cast<float>(static_cast<int32_t>(length)), count);
  Maxs(penalties, penalties, 0.0f, count);
  Mins(penalties, penalties, 1.0f, count);
  Muls(penalties, penalties, PENALTY, count);
}

// Merges neighbouring lists of 32 pairs until they have `listLength`; `count` pairs in all. Returns the tensor that has
// them.
__aicore__ inline LocalTensor<float> MergeUpTo(uint32_t listLength, uint32_t count, LocalTensor<float> from,
                                               LocalTensor<float> to) {
  for (uint32_t length = FIRST_LIST; length < listLength; length *= MERGED_LISTS) {
    const uint16_t size = static_cast<uint16_t>(length);
    const uint16_t sizes[] = {size, size, size, size};
    const uint32_t list = length * PAIR;
    const MrgSort4Info info(sizes, false, 15, static_cast<uint16_t>(count / (length * MERGED_LISTS)));
    MrgSort(to, MrgSortSrcList<float>(from, from[list], from[2 * list], from[3 * list]), info);
    const LocalTensor<float> merged = to;
    to = from;
    from = merged;
  }
  return from;
}

// Lines side by side: in x they are `inner` elements long rows, here every line is contiguous.
class LinesSideBySide {
 public:
  // `piece` elements of every line are read or written at a time.
  __aicore__ inline void Init(const TopKV3TilingData& tiling, uint32_t piece, TPipe* pipe) {
    tiling_ = &tiling;
    piece_ = piece;
    if (tiling.inner == 1) {
      return;
    }
    pipe->InitBuffer(inQueue_, 1, piece * LANES * sizeof(half));
    pipe->InitBuffer(valueQueue_, 1, piece * LANES * sizeof(half));
    pipe->InitBuffer(indexQueue_, 1, piece * 32);
    pipe->InitBuffer(unusedBuffer_, piece * sizeof(half));
  }

  // `count` elements of `lines` lines from `x` on, to lines that are `stride` apart.
  __aicore__ inline void Load(const LocalTensor<half>& to, const GlobalTensor<half>& x, uint32_t lines, uint32_t count,
                              uint32_t stride) {
    for (uint32_t first = 0; first < count; first += piece_) {
      const uint32_t rows = Least(piece_, count - first);
      LocalTensor<half> piece = inQueue_.AllocTensor<half>();
      DataCopyExtParams params(static_cast<uint16_t>(rows), lines * sizeof(half),
                               (tiling_->inner - lines) * sizeof(half), 0, 0);
      DataCopyPad(piece, x[static_cast<uint64_t>(first) * tiling_->inner], params,
                  DataCopyPadExtParams<half>{false, 0, 0, 0});
      inQueue_.EnQue(piece);
      piece = inQueue_.DeQue<half>();
      Transpose(to[first], piece, lines, rows, stride);
      inQueue_.FreeTensor(piece);
    }
  }

  // `count` elements of one line, `inner` apart in the result.
  __aicore__ inline void Store(const GlobalTensor<half>& values, const GlobalTensor<int32_t>& indices,
                               const LocalTensor<half>& lineValues, const LocalTensor<int32_t>& lineIndices,
                               uint32_t count) {
    for (uint32_t first = 0; first < count; first += piece_) {
      const uint32_t rows = Least(piece_, count - first);
      const uint64_t at = static_cast<uint64_t>(first) * tiling_->inner;
      StorePiece(values[at], lineValues[first], rows, valueQueue_);
      StorePiece(indices[at], lineIndices[first], rows, indexQueue_);
    }
  }

 private:
  __aicore__ inline void Transpose(const LocalTensor<half>& to, const LocalTensor<half>& piece, uint32_t lines,
                                   uint32_t rows, uint32_t stride) {
    LocalTensor<half> source[LANES];
    LocalTensor<half> destination[LANES];
    for (uint32_t i = 0; i < LANES; ++i) {
      source[i] = piece[i * LANES];
      destination[i] = i < lines ? to[i * stride] : unusedBuffer_.Get<half>();
    }
    TransDataTo5HDParams params;
    params.repeatTimes = static_cast<uint8_t>(CeilDiv(rows, LANES));
    params.dstRepStride = params.repeatTimes == 1 ? 0 : 1;
    params.srcRepStride = params.repeatTimes == 1 ? 0 : LANES;
    TransDataTo5HD<half>(destination, source, params);
  }

  // Every element gets a block of its own, from which it is written alone.
  template <typename T, typename Queue>
  __aicore__ inline void StorePiece(const GlobalTensor<T>& to, const LocalTensor<T>& from, uint32_t rows,
                                    Queue& queue) {
    LocalTensor<T> piece = queue.template AllocTensor<T>();
    Brcb(piece, from, static_cast<uint8_t>(CeilDiv(rows, 8)), BrcbRepeatParams(1, 8));
    queue.EnQue(piece);
    piece = queue.template DeQue<T>();
    DataCopyExtParams params(static_cast<uint16_t>(rows), sizeof(T), 0, (tiling_->inner - 1) * sizeof(T), 0);
    DataCopyPad(to, piece, params);
    queue.FreeTensor(piece);
  }

  TQue<TPosition::VECIN, 1> inQueue_;
  TQue<TPosition::VECOUT, 1> valueQueue_;
  TQue<TPosition::VECOUT, 1> indexQueue_;
  TBuf<TPosition::VECCALC> unusedBuffer_;
  const TopKV3TilingData* tiling_ = nullptr;
  uint32_t piece_ = 0;
};
