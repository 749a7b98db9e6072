// Attention of every head on its own: softmax(scale * query key^T) value, with the maximum and the sum of each row
// eight times.
#include "common/inc/op_kernel/attention.h"

class KernelFlashAttentionScore : public Attention<KernelFlashAttentionScore, half> {
 public:
  static constexpr bool STORES_STATISTICS = true;

  __aicore__ inline KernelFlashAttentionScore() {}

  __aicore__ inline void Init(GM_ADDR query, GM_ADDR key, GM_ADDR value, GM_ADDR max, GM_ADDR sum, GM_ADDR out,
                              GM_ADDR workspace, const FlashAttentionScoreTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    query_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(query));
    key_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(key));
    value_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(value));
    max_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(max));
    sum_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(sum));
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(out));
    width_ = tiling.heads * tiling.depth;
    InitAttention(tiling.plan, workspace, pipe);
  }

  __aicore__ inline void Process() {
    ProcessTiles(static_cast<uint64_t>(tiling_->batches) * tiling_->heads * CeilDiv(tiling_->queries, TILE_ROWS));
  }

  __aicore__ inline AttentionTile Locate(uint64_t tile) {
    const uint32_t tilesOfHead = CeilDiv(tiling_->queries, TILE_ROWS);
    const uint64_t head = tile / tilesOfHead;
    head_ = static_cast<uint32_t>(head % tiling_->heads);
    batch_ = static_cast<uint32_t>(head / tiling_->heads);
    row_ = static_cast<uint32_t>(tile % tilesOfHead) * TILE_ROWS;
    tile_ = {Least(TILE_ROWS, tiling_->queries - row_), tiling_->keys};
    return tile_;
  }

  __aicore__ inline void MultiplyScores(Product& product, const GlobalTensor<float>& scores, uint32_t stride) {
    const uint32_t columns = tiling_->plan.block.baseN;
    for (uint32_t column = 0; column < tile_.keys; column += columns) {
      BlockExtents extents;
      extents.m = tile_.rows;
      extents.n = Least(columns, tile_.keys - column);
      extents.k = tiling_->depth;
      extents.strideA = extents.strideB = width_;
      extents.rowsOfB = true;
      product.Compute(query_[PlaceOf(tiling_->queries, row_)], key_[PlaceOf(tiling_->keys, column)], extents);
      product.Store(scores[column], stride);
    }
  }

  __aicore__ inline void MultiplyValues(Product& product, const GlobalTensor<half>& powers, uint32_t powersStride,
                                        const GlobalTensor<float>& results, uint32_t resultStride) {
    const uint32_t columns = tiling_->plan.block.baseN;
    for (uint32_t column = 0; column < tiling_->depth; column += columns) {
      BlockExtents extents;
      extents.m = tile_.rows;
      extents.n = Least(columns, tiling_->depth - column);
      extents.k = tile_.keys;
      extents.strideA = powersStride;
      extents.strideB = width_;
      product.Compute(powers, value_[PlaceOf(tiling_->keys, 0) + column], extents);
      product.Store(results[column], resultStride);
    }
  }

  __aicore__ inline void StoreStatistics(const LocalTensor<float>& max, const LocalTensor<float>& sum, uint32_t first,
                                         uint32_t rows) {
    const uint64_t row = (static_cast<uint64_t>(batch_) * tiling_->heads + head_) * tiling_->queries + row_ + first;
    DataCopy(max_[row * FLOATS_PER_BLOCK], max, rows * FLOATS_PER_BLOCK);
    DataCopy(sum_[row * FLOATS_PER_BLOCK], sum, rows * FLOATS_PER_BLOCK);
  }

  __aicore__ inline void StoreRows(const LocalTensor<half>& rows, const FinishTile& tile, uint32_t first) {
    CopyRowsOut(out_[PlaceOf(tiling_->queries, row_ + first)], rows, tile, width_);
  }

 private:
  // A row of this batch's and head's part of a tensor that has `length` rows for each batch.
  __aicore__ inline uint64_t PlaceOf(uint32_t length, uint32_t row) const {
    return (static_cast<uint64_t>(batch_) * length + row) * width_ + head_ * tiling_->depth;
  }

  const FlashAttentionScoreTilingData* tiling_ = nullptr;
  GlobalTensor<half> query_, key_, value_, out_;
  GlobalTensor<float> max_, sum_;
  uint32_t width_ = 0, batch_ = 0, head_ = 0, row_ = 0;
  AttentionTile tile_{};
};

extern "C" __global__ __aicore__ void flash_attention_score_with_large_head_dim(GM_ADDR query, GM_ADDR key,
                                                                                GM_ADDR value, GM_ADDR softmaxMax,
                                                                                GM_ADDR softmaxSum,
                                                                                GM_ADDR attentionOut, GM_ADDR workspace,
                                                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelFlashAttentionScore op;
  op.Init(query, key, value, softmaxMax, softmaxSum, attentionOut, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
