// c = alpha * a * b + beta * c, float32 throughout.
#include "common/inc/op_kernel/mixed_product.h"

class KernelGemm : public MixedProduct<KernelGemm, float, float> {
 public:
  __aicore__ inline KernelGemm() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, const GemmTilingData& tiling,
                              TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(a), m * k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(b), k * n);
    cGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(c), m * n);
    InitProduct(tiling.plan, workspace, pipe);
    if ASCEND_IS_AIV {
      pipe->InitBuffer(cQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(float));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(float));
    }
  }

  __aicore__ inline void Process() { ProcessBlocks(CountBlocks(*tiling_)); }

  __aicore__ inline LocatedBlock<float> Locate(uint64_t block) const {
    return LocateBlock(*tiling_, aGm_, bGm_, block);
  }

  __aicore__ inline void StartBlock(const FinishTile&) {}

  __aicore__ inline void FinishRows(const LocalTensor<float>& sums, const FinishTile& tile) {
    const uint32_t length = tile.rows * tile.stride;
    const uint64_t at = static_cast<uint64_t>(tile.row) * tiling_->n + tile.column;
    LocalTensor<float> c = cQueue_.AllocTensor<float>();
    CopyRowsIn(c, cGm_[at], tile, tiling_->n);
    cQueue_.EnQue(c);
    c = cQueue_.DeQue<float>();
    LocalTensor<float> result = outQueue_.AllocTensor<float>();
    Muls(sums, sums, tiling_->alpha, length);
    Muls(c, c, tiling_->beta, length);
    Add(result, sums, c, length);
    cQueue_.FreeTensor(c);
    outQueue_.EnQue(result);
    result = outQueue_.DeQue<float>();
    CopyRowsOut(cGm_[at], result, tile, tiling_->n);
    outQueue_.FreeTensor(result);
  }

 private:
  TQue<TPosition::VECIN, BUFFER_NUM> cQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  GlobalTensor<float> cGm_;
  GlobalTensor<float> aGm_;
  GlobalTensor<float> bGm_;
  const GemmTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void gemm(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelGemm op;
  op.Init(a, b, c, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
