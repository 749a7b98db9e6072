// d = a * b + bias: float16 with float32 sums, rounded once after the bias was added.
#include "common/inc/op_kernel/mixed_product.h"

class KernelMatmulBias : public MixedProduct<KernelMatmulBias, half, float> {
 public:
  __aicore__ inline KernelMatmulBias() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d, GM_ADDR workspace,
                              const MatmulBiasTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), m * k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), k * n);
    biasGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(bias), n);
    dGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(d), m * n);
    InitProduct(tiling.plan, workspace, pipe);
    if ASCEND_IS_AIV {
      pipe->InitBuffer(rowQueue_, 1, tiling.plan.baseN * sizeof(half));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(half));
      pipe->InitBuffer(rowBuffer_, tiling.plan.baseN * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    ProcessBlocks(CountBlocks(*tiling_));
  }

  __aicore__ inline LocatedBlock<half> Locate(uint64_t block) const { return LocateBlock(*tiling_, aGm_, bGm_, block); }

  // One row of factors for all rows of the block.
  __aicore__ inline void StartBlock(const FinishTile& tile) {
    FinishTile row = tile;
    row.rows = 1;
    LocalTensor<half> narrow = rowQueue_.AllocTensor<half>();
    CopyRowsIn(narrow, biasGm_[tile.column], row, tile.columns);
    rowQueue_.EnQue(narrow);
    narrow = rowQueue_.DeQue<half>();
    Cast(rowBuffer_.Get<float>(), narrow, RoundMode::CAST_NONE, tile.stride);
    rowQueue_.FreeTensor(narrow);
  }

  __aicore__ inline void FinishRows(const LocalTensor<float>& sums, const FinishTile& tile) {
    const uint32_t length = tile.rows * tile.stride;
    const uint64_t at = static_cast<uint64_t>(tile.row) * tiling_->n + tile.column;
    WithEachRow<false>(sums, rowBuffer_.Get<float>(), tile);
    LocalTensor<half> result = outQueue_.AllocTensor<half>();
    Cast(result, sums, RoundMode::CAST_RINT, length);
    outQueue_.EnQue(result);
    result = outQueue_.DeQue<half>();
    CopyRowsOut(dGm_[at], result, tile, tiling_->n);
    outQueue_.FreeTensor(result);
  }

 private:
  TQue<TPosition::VECIN, 1> rowQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TBuf<TPosition::VECCALC> rowBuffer_;
  GlobalTensor<half> biasGm_;
  GlobalTensor<half> dGm_;
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  const MatmulBiasTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void matmul_bias(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelMatmulBias op;
  op.Init(a, b, bias, d, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
