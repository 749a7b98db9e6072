// c[g] = alpha[g] * a[g] * b[g] + beta[g] * c[g], in place: float16 with float32 sums, rounded once. The blocks of
// all groups are one sequence that the cores share; a core takes ascending ones, so that it walks through the groups
// once.
#include "common/inc/op_kernel/mixed_product.h"

class KernelGroupGemm : public MixedProduct<KernelGroupGemm, half, float> {
 public:
  __aicore__ inline KernelGroupGemm() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR alpha, GM_ADDR beta, GM_ADDR workspace,
                              const GroupGemmTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    uint64_t lengthA = 0;
    uint64_t lengthB = 0;
    uint64_t lengthC = 0;
    for (uint32_t i = 0; i < tiling.groups; ++i) {
      lengthA += static_cast<uint64_t>(tiling.m[i]) * tiling.k[i];
      lengthB += static_cast<uint64_t>(tiling.k[i]) * tiling.n[i];
      lengthC += static_cast<uint64_t>(tiling.m[i]) * tiling.n[i];
      blocks_ += BlocksOf(i);
    }
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), lengthA);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), lengthB);
    cGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), lengthC);
    alphaGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(alpha), tiling.groups);
    betaGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(beta), tiling.groups);
    InitProduct(tiling.plan, workspace, pipe);
    if ASCEND_IS_AIV {
      pipe->InitBuffer(cQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(half));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(half));
      pipe->InitBuffer(wideBuffer_, TILE_LENGTH * sizeof(float));
    }
  }

  __aicore__ inline void Process() { ProcessBlocks(blocks_); }

  __aicore__ inline LocatedBlock<half> Locate(uint64_t block) {
    while (block >= firstBlock_ + BlocksOf(group_)) {
      firstBlock_ += BlocksOf(group_);
      startA_ += static_cast<uint64_t>(M()) * K();
      startB_ += static_cast<uint64_t>(K()) * N();
      startC_ += static_cast<uint64_t>(M()) * N();
      ++group_;
    }
    const BlockPosition position =
        PositionOf(block - firstBlock_, CeilDiv(M(), tiling_->plan.baseM), CeilDiv(N(), tiling_->plan.baseN));
    LocatedBlock<half> located;
    located.row = position.row * tiling_->plan.baseM;
    located.column = position.column * tiling_->plan.baseN;
    located.group = group_;
    located.a = aGm_[startA_ + static_cast<uint64_t>(located.row) * K()];
    located.b = bGm_[startB_ + located.column];
    located.extents.m = Least(tiling_->plan.baseM, M() - located.row);
    located.extents.n = Least(tiling_->plan.baseN, N() - located.column);
    located.extents.k = K();
    located.extents.strideA = K();
    located.extents.strideB = N();
    return located;
  }

  __aicore__ inline void StartBlock(const FinishTile& tile) {
    alpha_ = alphaGm_.GetValue(tile.group);
    beta_ = betaGm_.GetValue(tile.group);
  }

  __aicore__ inline void FinishRows(const LocalTensor<float>& sums, const FinishTile& tile) {
    const uint32_t length = tile.rows * tile.stride;
    const uint64_t at = startC_ + static_cast<uint64_t>(tile.row) * N() + tile.column;
    LocalTensor<half> c = cQueue_.AllocTensor<half>();
    CopyRowsIn(c, cGm_[at], tile, N());
    cQueue_.EnQue(c);
    c = cQueue_.DeQue<half>();
    const LocalTensor<float> wide = wideBuffer_.Get<float>();
    Cast(wide, c, RoundMode::CAST_NONE, length);
    cQueue_.FreeTensor(c);
    Muls(sums, sums, alpha_, length);
    Muls(wide, wide, beta_, length);
    Add(sums, sums, wide, length);
    LocalTensor<half> result = outQueue_.AllocTensor<half>();
    Cast(result, sums, RoundMode::CAST_RINT, length);
    outQueue_.EnQue(result);
    result = outQueue_.DeQue<half>();
    CopyRowsOut(cGm_[at], result, tile, N());
    outQueue_.FreeTensor(result);
  }

 private:
  __aicore__ inline uint32_t M() const { return tiling_->m[group_]; }
  __aicore__ inline uint32_t N() const { return tiling_->n[group_]; }
  __aicore__ inline uint32_t K() const { return tiling_->k[group_]; }
  __aicore__ inline uint64_t BlocksOf(uint32_t group) const {
    return static_cast<uint64_t>(CeilDiv(tiling_->m[group], tiling_->plan.baseM)) *
           CeilDiv(tiling_->n[group], tiling_->plan.baseN);
  }

  TQue<TPosition::VECIN, BUFFER_NUM> cQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TBuf<TPosition::VECCALC> wideBuffer_;
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  GlobalTensor<half> cGm_;
  GlobalTensor<float> alphaGm_;
  GlobalTensor<float> betaGm_;
  const GroupGemmTilingData* tiling_ = nullptr;
  uint64_t blocks_ = 0;
  // The group that was located last, its first block, and where its matrices start.
  uint32_t group_ = 0;
  uint64_t firstBlock_ = 0;
  uint64_t startA_ = 0;
  uint64_t startB_ = 0;
  uint64_t startC_ = 0;
  float alpha_ = 0.0f;
  float beta_ = 0.0f;
};

extern "C" __global__ __aicore__ void group_gemm(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR alpha, GM_ADDR beta,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelGroupGemm op;
  op.Init(a, b, c, alpha, beta, GetUserWorkspace(workspace), tilingData, &pipe);
  op.Process();
}
