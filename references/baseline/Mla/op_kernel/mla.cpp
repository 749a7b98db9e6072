// Attention over a compressed cache in blocks: scores are those of both parts of a key, values are its larger part.
#include "common/inc/op_kernel/attention.h"

class KernelMla : public Attention<KernelMla, DTYPE_QUERY_NOPE> {
 public:
  using Element = DTYPE_QUERY_NOPE;
  static constexpr bool STORES_STATISTICS = false;

  __aicore__ inline KernelMla() {}

  __aicore__ inline void Init(GM_ADDR queryNope, GM_ADDR queryRope, GM_ADDR keyNope, GM_ADDR keyRope, GM_ADDR table,
                              GM_ADDR out, GM_ADDR workspace, const MlaTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    queryNope_.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(queryNope));
    queryRope_.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(queryRope));
    keyNope_.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(keyNope));
    keyRope_.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(keyRope));
    table_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(table));
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ Element*>(out));
    InitAttention(tiling.plan, workspace, pipe);
  }

  __aicore__ inline void Process() { ProcessTiles(tiling_->tiles); }

  __aicore__ inline AttentionTile Locate(uint64_t tile) {
    if (tile < firstTile_) {
      sequence_ = firstToken_ = 0;
      firstTile_ = 0;
    }
    while (tile >= firstTile_ + TilesOf(sequence_)) {
      firstTile_ += TilesOf(sequence_);
      firstToken_ += tiling_->queries[sequence_];
      ++sequence_;
    }
    const uint32_t number = static_cast<uint32_t>(tile - firstTile_);
    const uint32_t unit = number / TilesOfUnit(sequence_);
    const uint32_t first = number % TilesOfUnit(sequence_) * TILE_ROWS;
    keyHead_ = unit % tiling_->keyHeads;
    const uint32_t token = firstToken_ + unit / tiling_->keyHeads;
    row_ = static_cast<uint64_t>(token) * tiling_->heads + keyHead_ * (tiling_->heads / tiling_->keyHeads) + first;
    tile_ = {Least(TILE_ROWS, RowsOfUnit(sequence_) - first), tiling_->keys[sequence_]};
    return tile_;
  }

  __aicore__ inline void MultiplyScores(Product& product, const GlobalTensor<float>& scores, uint32_t stride) {
    for (uint32_t token = 0; token < tile_.keys; token += BLOCK_SIZE) {
      const uint64_t place = PlaceOf(token);
      BlockExtents extents;
      extents.m = tile_.rows;
      extents.n = Least(BLOCK_SIZE, tile_.keys - token);
      extents.rowsOfB = true;
      product.BeginSum();
      extents.k = extents.strideA = NOPE;
      extents.strideB = NOPE * tiling_->keyHeads;
      product.Add(queryNope_[row_ * NOPE], keyNope_[place * NOPE], extents, true);
      extents.k = extents.strideA = ROPE;
      extents.strideB = ROPE * tiling_->keyHeads;
      product.Add(queryRope_[row_ * ROPE], keyRope_[place * ROPE], extents, false);
      product.EndSum();
      product.Store(scores[token], stride);
    }
  }

  __aicore__ inline void MultiplyValues(Product& product, const GlobalTensor<Element>& powers, uint32_t powersStride,
                                        const GlobalTensor<float>& results, uint32_t resultStride) {
    const uint32_t columns = tiling_->plan.block.baseN;
    for (uint32_t column = 0; column < NOPE; column += columns) {
      product.BeginSum();
      for (uint32_t token = 0; token < tile_.keys; token += BLOCK_SIZE) {
        BlockExtents extents;
        extents.m = tile_.rows;
        extents.n = Least(columns, NOPE - column);
        extents.k = Least(BLOCK_SIZE, tile_.keys - token);
        extents.strideA = powersStride;
        extents.strideB = NOPE * tiling_->keyHeads;
        product.Add(powers[token], keyNope_[PlaceOf(token) * NOPE + column], extents, token == 0);
      }
      product.EndSum();
      product.Store(results[column], resultStride);
    }
  }

  __aicore__ inline void StoreRows(const LocalTensor<Element>& rows, const FinishTile& tile, uint32_t first) {
    CopyRowsOut(out_[(row_ + first) * NOPE], rows, tile, NOPE);
  }

 private:
  static constexpr uint32_t NOPE = 512;
  static constexpr uint32_t ROPE = 64;
  static constexpr uint32_t BLOCK_SIZE = 128;

  // Rows that share keys: all of a sequence where there is one head of keys, those of one token and head otherwise.
  __aicore__ inline uint32_t RowsOfUnit(uint32_t sequence) const {
    return tiling_->keyHeads == 1 ? tiling_->queries[sequence] * tiling_->heads : tiling_->heads / tiling_->keyHeads;
  }
  __aicore__ inline uint32_t TilesOfUnit(uint32_t sequence) const { return CeilDiv(RowsOfUnit(sequence), TILE_ROWS); }
  __aicore__ inline uint64_t TilesOf(uint32_t sequence) const {
    const uint32_t units = tiling_->keyHeads == 1 ? 1 : tiling_->queries[sequence] * tiling_->keyHeads;
    return static_cast<uint64_t>(units) * TilesOfUnit(sequence);
  }

  // The row of the cache that holds a token of the sequence.
  __aicore__ inline uint64_t PlaceOf(uint32_t token) {
    const uint64_t block =
        static_cast<uint64_t>(table_.GetValue(sequence_ * tiling_->tableColumns + token / BLOCK_SIZE));
    return (block * BLOCK_SIZE + token % BLOCK_SIZE) * tiling_->keyHeads + keyHead_;
  }

  const MlaTilingData* tiling_ = nullptr;
  GlobalTensor<Element> queryNope_, queryRope_, keyNope_, keyRope_, out_;
  GlobalTensor<int32_t> table_;
  uint32_t sequence_ = 0, firstToken_ = 0, keyHead_ = 0;
  uint64_t firstTile_ = 0, row_ = 0;
  AttentionTile tile_{};
};

extern "C" __global__ __aicore__ void mla(GM_ADDR queryNope, GM_ADDR queryRope, GM_ADDR keyNope, GM_ADDR keyRope,
                                          GM_ADDR blockTables, GM_ADDR out, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelMla op;
  op.Init(queryNope, queryRope, keyNope, keyRope, blockTables, out, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
