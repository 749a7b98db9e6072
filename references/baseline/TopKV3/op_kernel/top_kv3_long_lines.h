// Longer lines: pieces of 2048 elements are sorted one after the other, and merged with the best that were found so
// far.
#pragma once

#include "top_kv3_lines.h"

constexpr uint32_t CHUNK = 2048;
constexpr uint32_t MAX_LIST = 4092;  // pairs of one list that is merged, whole blocks

class KernelLongLines {
 public:
  __aicore__ inline KernelLongLines() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices, const TopKV3TilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t lines = static_cast<uint64_t>(tiling.outer) * tiling.inner;
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), lines * tiling.length);
    valuesGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(values), lines * tiling.k);
    indicesGm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices), lines * tiling.k);
    kept_ = AlignUp(tiling.k, FIRST_LIST);
    pipe->InitBuffer(bestBuffer_, kept_ * PAIR * sizeof(float));
    // Also where a piece is prepared and sorted: two lists of its pairs, keys, and two temporaries.
    pipe->InitBuffer(mergeBuffer_, (kept_ + CHUNK) * PAIR * sizeof(float));
    pipe->InitBuffer(sortBuffer_, CHUNK * PAIR * sizeof(float));
    pipe->InitBuffer(keyBuffer_, CHUNK * sizeof(float));
    pipe->InitBuffer(lineQueue_, 1, CHUNK * sizeof(half));
    pipe->InitBuffer(valueQueue_, 1, STORED * sizeof(half));
    pipe->InitBuffer(indexQueue_, 1, STORED * sizeof(int32_t));
    sideBySide_.Init(tiling, PIECE, pipe);
  }

  __aicore__ inline void Process() {
    const uint64_t lines = static_cast<uint64_t>(tiling_->outer) * tiling_->inner;
    for (uint64_t line = GetBlockIdx(); line < lines; line += GetBlockNum()) {
      const uint64_t outer = line / tiling_->inner;
      const uint32_t inner = static_cast<uint32_t>(line % tiling_->inner);
      uint32_t found = 0;
      for (uint32_t first = 0; first < tiling_->length; first += CHUNK) {
        const uint32_t count = Least(CHUNK, tiling_->length - first);
        const uint64_t at = (outer * tiling_->length + first) * tiling_->inner + inner;
        found = MergeWithBest(SortPiece(xGm_[at], first, count), found, count);
      }
      StoreBest(outer * tiling_->k * tiling_->inner + inner);
    }
  }

 private:
  static constexpr uint32_t STORED = 512;  // results that are written at a time
  static constexpr uint32_t PIECE = 64;

  // The pairs of one piece in descending order, in the sort buffer.
  __aicore__ inline LocalTensor<float> SortPiece(const GlobalTensor<half>& x, uint32_t first, uint32_t count) {
    const LocalTensor<float> keys = keyBuffer_.Get<float>();
    const LocalTensor<float> other = mergeBuffer_.Get<float>();
    const LocalTensor<float> sort = sortBuffer_.Get<float>();
    LocalTensor<half> line = lineQueue_.AllocTensor<half>();
    if (tiling_->inner == 1) {
      DataCopyExtParams params(1, count * sizeof(half), 0, 0, 0);
      DataCopyPad(line, x, params, DataCopyPadExtParams<half>{false, 0, 0, 0});
    } else {
      sideBySide_.Load(line, x, 1, count, CHUNK);
    }
    lineQueue_.EnQue(line);
    line = lineQueue_.DeQue<half>();
    MakeKeys(keys, line, sort, sort[CHUNK], tiling_->largest != 0, CHUNK);
    lineQueue_.FreeTensor(line);
    if (count < CHUNK) {
      MakePenalties(sort, count, CHUNK);
      Add(keys, keys, sort, CHUNK);
    }
    // Sorting takes 2048 pairs to lists of 512 in two merges, and the third ends in the other buffer: it starts there.
    const LocalTensor<int32_t> positions = sort.ReinterpretCast<int32_t>();
    CreateVecIndex(positions, static_cast<int32_t>(first), CHUNK);
    Sort32(other, keys, positions.ReinterpretCast<uint32_t>(), static_cast<int32_t>(CHUNK / FIRST_LIST));
    return MergeUpTo(CHUNK, CHUNK, other, sort);
  }

  // Merges the best `found` pairs with a sorted piece; returns how many pairs are the best now.
  __aicore__ inline uint32_t MergeWithBest(const LocalTensor<float>& piece, uint32_t found, uint32_t count) {
    const LocalTensor<float> best = bestBuffer_.Get<float>();
    const uint32_t merged = Least(kept_, found + CHUNK);
    if (found == 0) {
      DataCopy(best, piece, merged * PAIR);
      return merged;
    }
    LocalTensor<float> lists[MERGED_LISTS] = {piece, piece, piece, piece};
    uint16_t sizes[MERGED_LISTS] = {static_cast<uint16_t>(CHUNK), 0, 0, 0};
    uint32_t used = 1;
    for (uint32_t first = 0; first < found; first += MAX_LIST) {
      lists[used] = best[first * PAIR];
      sizes[used] = static_cast<uint16_t>(Least(MAX_LIST, found - first));
      ++used;
    }
    const LocalTensor<float> merge = mergeBuffer_.Get<float>();
    const MrgSort4Info info(sizes, false, static_cast<uint16_t>((1 << used) - 1), 1);
    MrgSort(merge, MrgSortSrcList<float>(lists[0], lists[1], lists[2], lists[3]), info);
    DataCopy(best, merge, merged * PAIR);
    return merged;
  }

  __aicore__ inline void StoreBest(uint64_t at) {
    const LocalTensor<float> keys = keyBuffer_.Get<float>();
    const LocalTensor<float> temporary = sortBuffer_.Get<float>();
    for (uint32_t first = 0; first < tiling_->k; first += STORED) {
      const uint32_t count = Least(STORED, tiling_->k - first);
      const int32_t whole = static_cast<int32_t>(AlignUp(count, FIRST_LIST));
      LocalTensor<int32_t> indices = indexQueue_.AllocTensor<int32_t>();
      Extract(keys, indices.ReinterpretCast<uint32_t>(), bestBuffer_.Get<float>()[first * PAIR],
              whole / static_cast<int32_t>(FIRST_LIST));
      LocalTensor<half> values = valueQueue_.AllocTensor<half>();
      MakeElements(values, keys, temporary, temporary[CHUNK], tiling_->largest != 0, whole);
      const uint64_t to = at + static_cast<uint64_t>(first) * tiling_->inner;
      if (tiling_->inner == 1) {
        valueQueue_.EnQue(values);
        values = valueQueue_.DeQue<half>();
        DataCopyPad(valuesGm_[to], values, DataCopyExtParams(1, count * sizeof(half), 0, 0, 0));
        indexQueue_.EnQue(indices);
        indices = indexQueue_.DeQue<int32_t>();
        DataCopyPad(indicesGm_[to], indices, DataCopyExtParams(1, count * sizeof(int32_t), 0, 0, 0));
      } else {
        sideBySide_.Store(valuesGm_[to], indicesGm_[to], values, indices, count);
      }
      valueQueue_.FreeTensor(values);
      indexQueue_.FreeTensor(indices);
    }
  }

  LinesSideBySide sideBySide_;
  TQue<TPosition::VECIN, 1> lineQueue_;
  TQue<TPosition::VECOUT, 1> valueQueue_;
  TQue<TPosition::VECOUT, 1> indexQueue_;
  TBuf<TPosition::VECCALC> bestBuffer_;
  TBuf<TPosition::VECCALC> mergeBuffer_;
  TBuf<TPosition::VECCALC> sortBuffer_;
  TBuf<TPosition::VECCALC> keyBuffer_;
  GlobalTensor<half> xGm_;
  GlobalTensor<half> valuesGm_;
  GlobalTensor<int32_t> indicesGm_;
  const TopKV3TilingData* tiling_ = nullptr;
  uint32_t kept_ = 0;
};
