// d = a * b + c: float16 with float32 sums, rounded once after c was added.
#include "common/inc/op_kernel/mixed_product.h"

class KernelMatmulAdd : public MixedProduct<KernelMatmulAdd, half, float> {
 public:
  __aicore__ inline KernelMatmulAdd() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d, GM_ADDR workspace,
                              const MatmulAddTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), m * k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), k * n);
    cGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), m * n);
    dGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(d), m * n);
    InitProduct(tiling.plan, workspace, pipe);
    if ASCEND_IS_AIV {
      pipe->InitBuffer(cQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(half));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(half));
      pipe->InitBuffer(wideBuffer_, TILE_LENGTH * sizeof(float));
    }
  }

  __aicore__ inline void Process() { ProcessBlocks(CountBlocks(*tiling_)); }

  __aicore__ inline LocatedBlock<half> Locate(uint64_t block) const { return LocateBlock(*tiling_, aGm_, bGm_, block); }

  __aicore__ inline void StartBlock(const FinishTile&) {}

  __aicore__ inline void FinishRows(const LocalTensor<float>& sums, const FinishTile& tile) {
    const uint32_t length = tile.rows * tile.stride;
    const uint64_t at = static_cast<uint64_t>(tile.row) * tiling_->n + tile.column;
    LocalTensor<half> c = cQueue_.AllocTensor<half>();
    CopyRowsIn(c, cGm_[at], tile, tiling_->n);
    cQueue_.EnQue(c);
    c = cQueue_.DeQue<half>();
    const LocalTensor<float> wide = wideBuffer_.Get<float>();
    Cast(wide, c, RoundMode::CAST_NONE, length);
    cQueue_.FreeTensor(c);
    Add(sums, sums, wide, length);
    LocalTensor<half> result = outQueue_.AllocTensor<half>();
    Cast(result, sums, RoundMode::CAST_RINT, length);
    outQueue_.EnQue(result);
    result = outQueue_.DeQue<half>();
    CopyRowsOut(dGm_[at], result, tile, tiling_->n);
    outQueue_.FreeTensor(result);
  }

 private:
  TQue<TPosition::VECIN, BUFFER_NUM> cQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TBuf<TPosition::VECCALC> wideBuffer_;
  GlobalTensor<half> cGm_;
  GlobalTensor<half> dGm_;
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  const MatmulAddTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void matmul_add(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR d, GM_ADDR workspace,
                                                 GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelMatmulAdd op;
  op.Init(a, b, c, d, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
