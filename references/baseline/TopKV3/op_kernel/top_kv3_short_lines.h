// Lines of up to 4096 elements: as many as fit are sorted together, each padded to whole lists.
#pragma once

#include "top_kv3_lines.h"

class KernelShortLines {
 public:
  __aicore__ inline KernelShortLines() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR values, GM_ADDR indices, const TopKV3TilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t lines = static_cast<uint64_t>(tiling.outer) * tiling.inner;
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(x), lines * tiling.length);
    valuesGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(values), lines * tiling.k);
    indicesGm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(indices), lines * tiling.k);
    stride_ = tiling.listLength * tiling.lists;
    pipe->InitBuffer(sortBuffer_, TILE_LENGTH * PAIR * sizeof(float));
    pipe->InitBuffer(mergeBuffer_, TILE_LENGTH * PAIR * sizeof(float));
    pipe->InitBuffer(penaltyBuffer_, stride_ * sizeof(float));
    pipe->InitBuffer(positionBuffer_, TILE_LENGTH * sizeof(uint32_t));
    pipe->InitBuffer(valueQueue_, 1, TILE_LENGTH * sizeof(half));
    pipe->InitBuffer(indexQueue_, 1, TILE_LENGTH * sizeof(int32_t));
    if (tiling.inner == 1) {
      pipe->InitBuffer(xQueue_, 2, TILE_LENGTH * sizeof(half));
    } else {
      pipe->InitBuffer(lineBuffer_, TILE_LENGTH * sizeof(half));
    }
    sideBySide_.Init(tiling, PIECE, pipe);
  }

  __aicore__ inline void Process() {
    MakePenalties(penaltyBuffer_.Get<float>(), tiling_->length, static_cast<int32_t>(stride_));
    for (uint32_t line = 0; line < tiling_->linesAtOnce; ++line) {
      CreateVecIndex(positionBuffer_.Get<int32_t>()[line * stride_], 0, stride_);
    }
    const uint32_t rows = tiling_->inner == 1 ? tiling_->outer : tiling_->inner;
    const uint64_t tilesOfRow = CeilDiv(rows, tiling_->linesAtOnce);
    const uint64_t tiles = tiling_->inner == 1 ? tilesOfRow : tilesOfRow * tiling_->outer;
    for (uint64_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t first = static_cast<uint32_t>(tile % tilesOfRow) * tiling_->linesAtOnce;
      ProcessTile(tile / tilesOfRow, first, Least(tiling_->linesAtOnce, rows - first));
    }
  }

 private:
  static constexpr uint32_t PIECE = 256;

  __aicore__ inline void ProcessTile(uint64_t outer, uint32_t first, uint32_t lines) {
    const uint32_t count = lines * stride_;
    const LocalTensor<float> sort = sortBuffer_.Get<float>();
    const LocalTensor<float> merge = mergeBuffer_.Get<float>();
    LoadKeys(merge, outer, first, lines);
    Sort32(sort, merge, positionBuffer_.Get<uint32_t>(), static_cast<int32_t>(count / FIRST_LIST));
    LocalTensor<float> sorted = MergeUpTo(tiling_->listLength, count, sort, merge);
    sorted = MergeLines(sorted, OtherOf(sorted), lines);

    const LocalTensor<float> keys = OtherOf(sorted);
    LocalTensor<int32_t> indices = indexQueue_.AllocTensor<int32_t>();
    Extract(keys, indices.ReinterpretCast<uint32_t>(), sorted, static_cast<int32_t>(count / FIRST_LIST));
    LocalTensor<half> values = valueQueue_.AllocTensor<half>();
    MakeElements(values, keys, keys[TILE_LENGTH], sorted, tiling_->largest != 0, static_cast<int32_t>(count));
    Store(values, indices, outer, first, lines);
  }

  __aicore__ inline LocalTensor<float> OtherOf(const LocalTensor<float>& tensor) {
    const bool isSort = tensor.GetPhyAddr() == sortBuffer_.Get<float>().GetPhyAddr();
    return isSort ? mergeBuffer_.Get<float>() : sortBuffer_.Get<float>();
  }

  __aicore__ inline void LoadKeys(const LocalTensor<float>& keys, uint64_t outer, uint32_t first, uint32_t lines) {
    const int32_t count = static_cast<int32_t>(lines * stride_);
    const LocalTensor<float> one = sortBuffer_.Get<float>();
    const LocalTensor<float> other = one[TILE_LENGTH];
    const bool largest = tiling_->largest != 0;
    if (tiling_->inner == 1) {
      LocalTensor<half> x = xQueue_.AllocTensor<half>();
      DataCopyExtParams params(static_cast<uint16_t>(lines), tiling_->length * sizeof(half), 0,
                               (stride_ - AlignUp(tiling_->length, LANES)) / LANES, 0);
      DataCopyPad(x, xGm_[static_cast<uint64_t>(first) * tiling_->length], params,
                  DataCopyPadExtParams<half>{false, 0, 0, 0});
      xQueue_.EnQue(x);
      x = xQueue_.DeQue<half>();
      MakeKeys(keys, x, one, other, largest, count);
      xQueue_.FreeTensor(x);
    } else {
      const LocalTensor<half> x = lineBuffer_.Get<half>();
      sideBySide_.Load(x, xGm_[outer * tiling_->length * tiling_->inner + first], lines, tiling_->length, stride_);
      MakeKeys(keys, x, one, other, largest, count);
    }
    const LocalTensor<float> penalties = penaltyBuffer_.Get<float>();
    for (uint32_t line = 0; line < lines; ++line) {
      Add(keys[line * stride_], keys[line * stride_], penalties, static_cast<int32_t>(stride_));
    }
  }

  // The lists of each line become one; four of them for all lines at once.
  __aicore__ inline LocalTensor<float> MergeLines(const LocalTensor<float>& from, const LocalTensor<float>& to,
                                                  uint32_t lines) {
    if (tiling_->lists == 1) {
      return from;
    }
    const uint16_t size = static_cast<uint16_t>(tiling_->listLength);
    const uint16_t sizes[] = {size, size, size, size};
    const uint32_t list = tiling_->listLength * PAIR;
    const bool isWhole = tiling_->lists == MERGED_LISTS;
    const MrgSort4Info info(sizes, false, static_cast<uint16_t>((1 << tiling_->lists) - 1),
                            static_cast<uint16_t>(isWhole ? lines : 1));
    for (uint32_t line = 0; line < (isWhole ? 1 : lines); ++line) {
      const LocalTensor<float> lists = from[line * stride_ * PAIR];
      const LocalTensor<float> third = tiling_->lists > 2 ? lists[2 * list] : lists;
      const LocalTensor<float> fourth = isWhole ? lists[3 * list] : lists;
      MrgSort(to[line * stride_ * PAIR], MrgSortSrcList<float>(lists, lists[list], third, fourth), info);
    }
    return to;
  }

  __aicore__ inline void Store(LocalTensor<half> values, LocalTensor<int32_t> indices, uint64_t outer, uint32_t first,
                               uint32_t lines) {
    const uint32_t k = tiling_->k;
    if (tiling_->inner == 1) {
      valueQueue_.EnQue(values);
      values = valueQueue_.DeQue<half>();
      const uint16_t count = static_cast<uint16_t>(lines);
      DataCopyExtParams ofValues(count, k * sizeof(half), (stride_ - AlignUp(k, LANES)) / LANES, 0, 0);
      DataCopyPad(valuesGm_[static_cast<uint64_t>(first) * k], values, ofValues);
      indexQueue_.EnQue(indices);
      indices = indexQueue_.DeQue<int32_t>();
      DataCopyExtParams ofIndices(count, k * sizeof(int32_t), (stride_ - AlignUp(k, 8)) / 8, 0, 0);
      DataCopyPad(indicesGm_[static_cast<uint64_t>(first) * k], indices, ofIndices);
    } else {
      for (uint32_t line = 0; line < lines; ++line) {
        const uint64_t at = outer * k * tiling_->inner + first + line;
        sideBySide_.Store(valuesGm_[at], indicesGm_[at], values[line * stride_], indices[line * stride_], k);
      }
    }
    valueQueue_.FreeTensor(values);
    indexQueue_.FreeTensor(indices);
  }

  LinesSideBySide sideBySide_;
  TQue<TPosition::VECIN, 2> xQueue_;
  TQue<TPosition::VECOUT, 1> valueQueue_;
  TQue<TPosition::VECOUT, 1> indexQueue_;
  TBuf<TPosition::VECCALC> lineBuffer_;
  TBuf<TPosition::VECCALC> sortBuffer_;
  TBuf<TPosition::VECCALC> mergeBuffer_;
  TBuf<TPosition::VECCALC> penaltyBuffer_;
  TBuf<TPosition::VECCALC> positionBuffer_;
  GlobalTensor<half> xGm_;
  GlobalTensor<half> valuesGm_;
  GlobalTensor<int32_t> indicesGm_;
  const TopKV3TilingData* tiling_ = nullptr;
  uint32_t stride_ = 0;
};
