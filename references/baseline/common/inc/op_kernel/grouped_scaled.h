// Grouped products of int8, multiplied by a factor of their column and one of their row: exact sums on the cube cores,
// float32 factors on the vector cores, rounded once to bfloat16.
#pragma once

#include "common/inc/op_kernel/grouped_blocks.h"

template <bool BY_DEPTH>
class GroupedScaledMatmul : public MixedProduct<GroupedScaledMatmul<BY_DEPTH>, int8_t, int32_t, BY_DEPTH> {
 public:
  __aicore__ inline GroupedScaledMatmul() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR perTokenScale, GM_ADDR ends, GM_ADDR d,
                              GM_ADDR workspace, const GroupedTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(b));
    scale_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(scale));
    perTokenScale_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(perTokenScale));
    d_.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t*>(d));
    blocks_.Init(ends, tiling);
    this->InitProduct(tiling.plan, workspace, pipe);
    if ASCEND_IS_AIV {
      pipe->InitBuffer(rowQueue_, 1, tiling.plan.baseN * sizeof(bfloat16_t));
      pipe->InitBuffer(tokenQueue_, 1, MOST_ROWS * sizeof(bfloat16_t));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(bfloat16_t));
      pipe->InitBuffer(rowBuffer_, tiling.plan.baseN * sizeof(float));
      pipe->InitBuffer(tokenBuffer_, MOST_ROWS * sizeof(float));
      pipe->InitBuffer(spreadBuffer_, MOST_ROWS * 32);
      pipe->InitBuffer(wideBuffer_, TILE_LENGTH * sizeof(float));
    }
  }

  __aicore__ inline void Process() { this->ProcessBlocks(blocks_.Count()); }

  __aicore__ inline LocatedBlock<int8_t> Locate(uint64_t block) {
    const GroupBlock found = blocks_.Find(block);
    return LocateIn<BY_DEPTH>(blocks_.Current(), found, a_, b_, *tiling_);
  }

  // One row of factors for all rows of the block.
  __aicore__ inline void StartBlock(const FinishTile& tile) {
    FinishTile row = tile;
    row.rows = 1;
    LocalTensor<bfloat16_t> narrow = rowQueue_.template AllocTensor<bfloat16_t>();
    CopyRowsIn(narrow, scale_[static_cast<uint64_t>(tile.group) * tiling_->n + tile.column], row, tile.columns);
    rowQueue_.EnQue(narrow);
    narrow = rowQueue_.template DeQue<bfloat16_t>();
    Cast(rowBuffer_.template Get<float>(), narrow, RoundMode::CAST_NONE, tile.stride);
    rowQueue_.FreeTensor(narrow);
  }

  __aicore__ inline void FinishRows(const LocalTensor<int32_t>& exact, const FinishTile& tile) {
    const uint32_t length = tile.rows * tile.stride;
    const LocalTensor<float> sums = wideBuffer_.template Get<float>();
    Cast(sums, exact, RoundMode::CAST_RINT, length);
    MultiplyEachRow(sums, rowBuffer_.template Get<float>(), tile);
    MultiplyRows(sums, tile);
    LocalTensor<bfloat16_t> result = outQueue_.template AllocTensor<bfloat16_t>();
    Cast(result, sums, RoundMode::CAST_RINT, length);
    outQueue_.EnQue(result);
    result = outQueue_.template DeQue<bfloat16_t>();
    const uint64_t row = BY_DEPTH ? static_cast<uint64_t>(tile.group) * tiling_->m + tile.row : tile.row;
    CopyRowsOut(d_[row * tiling_->n + tile.column], result, tile, tiling_->n);
    outQueue_.FreeTensor(result);
  }

 private:
  static constexpr uint32_t MOST_ROWS = TILE_LENGTH / FRACTAL_ROWS;  // of one tile

  // Every row by its own factor, spread over one block of floats.
  __aicore__ inline void MultiplyRows(const LocalTensor<float>& sums, const FinishTile& tile) {
    FinishTile column;
    column.rows = 1;
    column.columns = tile.rows;
    column.stride = AlignUp(tile.rows, FRACTAL_ROWS);
    const uint64_t first = BY_DEPTH ? static_cast<uint64_t>(tile.group) * tiling_->m + tile.row : tile.row;
    LocalTensor<bfloat16_t> narrow = tokenQueue_.template AllocTensor<bfloat16_t>();
    CopyRowsIn(narrow, perTokenScale_[first], column, column.columns);
    tokenQueue_.EnQue(narrow);
    narrow = tokenQueue_.template DeQue<bfloat16_t>();
    const LocalTensor<float> wide = tokenBuffer_.template Get<float>();
    Cast(wide, narrow, RoundMode::CAST_NONE, column.stride);
    tokenQueue_.FreeTensor(narrow);
    const LocalTensor<float> spread = spreadBuffer_.template Get<float>();
    Brcb(spread, wide, static_cast<uint8_t>(CeilDiv(tile.rows, 8)), BrcbRepeatParams(1, 8));
    const uint8_t rowBlocks = static_cast<uint8_t>(tile.stride / 8);
    const BinaryRepeatParams params(1, 1, 0, rowBlocks, rowBlocks, 1);
    for (uint32_t at = 0; at < tile.stride; at += VECTOR_LANES) {
      const uint64_t lanes = Least(VECTOR_LANES, tile.stride - at);
      for (uint32_t row = 0; row < tile.rows; row += MAX_REPEAT) {
        const LocalTensor<float> part = sums[row * tile.stride + at];
        Mul(part, part, spread[row * 8], lanes, static_cast<uint8_t>(Least(MAX_REPEAT, tile.rows - row)), params);
      }
    }
  }

  TQue<TPosition::VECIN, 1> rowQueue_;
  TQue<TPosition::VECIN, 1> tokenQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TBuf<TPosition::VECCALC> rowBuffer_;
  TBuf<TPosition::VECCALC> tokenBuffer_;
  TBuf<TPosition::VECCALC> spreadBuffer_;
  TBuf<TPosition::VECCALC> wideBuffer_;
  GlobalTensor<bfloat16_t> scale_, perTokenScale_, d_;
  GlobalTensor<int8_t> a_, b_;
  GroupedBlocks<BY_DEPTH> blocks_;
  const GroupedTilingData* tiling_ = nullptr;
};
