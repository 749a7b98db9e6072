// d = a * b * scale * per_token_scale: exact sums of int8 products, float32 factors, rounded once to float16.
#include "common/inc/op_kernel/mixed_product.h"

class KernelQuantMatmul : public MixedProduct<KernelQuantMatmul, int8_t, int32_t> {
 public:
  __aicore__ inline KernelQuantMatmul() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR perTokenScale, GM_ADDR d, GM_ADDR workspace,
                              const QuantMatmulTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(a), m * k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ int8_t*>(b), k * n);
    scaleGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(scale), n);
    perTokenScaleGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(perTokenScale), m);
    dGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(d), m * n);
    InitProduct(tiling.plan, workspace, pipe);
    if ASCEND_IS_AIV {
      pipe->InitBuffer(rowQueue_, 1, tiling.plan.baseN * sizeof(half));
      pipe->InitBuffer(tokenQueue_, 1, TILE_LENGTH / FRACTAL_ROWS * sizeof(half));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(half));
      pipe->InitBuffer(rowBuffer_, tiling.plan.baseN * sizeof(float));
      pipe->InitBuffer(tokenBuffer_, TILE_LENGTH / FRACTAL_ROWS * sizeof(float));
      pipe->InitBuffer(spreadBuffer_, TILE_LENGTH / FRACTAL_ROWS * 32);
      pipe->InitBuffer(wideBuffer_, TILE_LENGTH * sizeof(float));
    }
  }

  __aicore__ inline void Process() { ProcessBlocks(CountBlocks(*tiling_)); }

  __aicore__ inline LocatedBlock<int8_t> Locate(uint64_t block) const {
    return LocateBlock(*tiling_, aGm_, bGm_, block);
  }

  // One row of factors for all rows of the block.
  __aicore__ inline void StartBlock(const FinishTile& tile) {
    FinishTile row = tile;
    row.rows = 1;
    LocalTensor<half> narrow = rowQueue_.AllocTensor<half>();
    CopyRowsIn(narrow, scaleGm_[tile.column], row, tile.columns);
    rowQueue_.EnQue(narrow);
    narrow = rowQueue_.DeQue<half>();
    Cast(rowBuffer_.Get<float>(), narrow, RoundMode::CAST_NONE, tile.stride);
    rowQueue_.FreeTensor(narrow);
  }

  __aicore__ inline void FinishRows(const LocalTensor<int32_t>& exact, const FinishTile& tile) {
    const uint32_t length = tile.rows * tile.stride;
    const uint64_t at = static_cast<uint64_t>(tile.row) * tiling_->n + tile.column;
    const LocalTensor<float> sums = wideBuffer_.Get<float>();
    Cast(sums, exact, RoundMode::CAST_RINT, length);
    MultiplyEachRow(sums, rowBuffer_.Get<float>(), tile);
    SpreadTokenScales(tile);
    const LocalTensor<float> spread = spreadBuffer_.Get<float>();
    const uint8_t rowBlocks = static_cast<uint8_t>(tile.stride / 8);
    const BinaryRepeatParams params(1, 1, 0, rowBlocks, rowBlocks, 1);
    for (uint32_t column = 0; column < tile.stride; column += VECTOR_LANES) {
      const uint64_t lanes = Least(VECTOR_LANES, tile.stride - column);
      for (uint32_t row = 0; row < tile.rows; row += MAX_REPEAT) {
        const LocalTensor<float> part = sums[row * tile.stride + column];
        Mul(part, part, spread[row * 8], lanes, static_cast<uint8_t>(Least(MAX_REPEAT, tile.rows - row)), params);
      }
    }
    LocalTensor<half> result = outQueue_.AllocTensor<half>();
    Cast(result, sums, RoundMode::CAST_RINT, length);
    outQueue_.EnQue(result);
    result = outQueue_.DeQue<half>();
    CopyRowsOut(dGm_[at], result, tile, tiling_->n);
    outQueue_.FreeTensor(result);
  }

 private:
  // The factor of each row, in every float of one block.
  __aicore__ inline void SpreadTokenScales(const FinishTile& tile) {
    FinishTile column;
    column.rows = 1;
    column.columns = tile.rows;
    column.stride = AlignUp(tile.rows, FRACTAL_ROWS);
    LocalTensor<half> narrow = tokenQueue_.AllocTensor<half>();
    CopyRowsIn(narrow, perTokenScaleGm_[tile.row], column, column.columns);
    tokenQueue_.EnQue(narrow);
    narrow = tokenQueue_.DeQue<half>();
    const LocalTensor<float> wide = tokenBuffer_.Get<float>();
    Cast(wide, narrow, RoundMode::CAST_NONE, column.stride);
    tokenQueue_.FreeTensor(narrow);
    Brcb(spreadBuffer_.Get<float>(), wide, static_cast<uint8_t>(CeilDiv(tile.rows, 8)), BrcbRepeatParams(1, 8));
  }

  TQue<TPosition::VECIN, 1> rowQueue_;
  TQue<TPosition::VECIN, 1> tokenQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TBuf<TPosition::VECCALC> rowBuffer_;
  TBuf<TPosition::VECCALC> tokenBuffer_;
  TBuf<TPosition::VECCALC> spreadBuffer_;
  TBuf<TPosition::VECCALC> wideBuffer_;
  GlobalTensor<half> scaleGm_;
  GlobalTensor<half> perTokenScaleGm_;
  GlobalTensor<half> dGm_;
  GlobalTensor<int8_t> aGm_;
  GlobalTensor<int8_t> bGm_;
  const QuantMatmulTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void quant_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR perTokenScale,
                                                   GM_ADDR d, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelQuantMatmul op;
  op.Init(a, b, scale, perTokenScale, d, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
