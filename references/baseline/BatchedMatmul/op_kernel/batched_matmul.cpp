// c[t] = a[t] * b[t] on the cube cores, float16 with float32 sums. The blocks of all products are one sequence that the
// cores share.
#include "common/inc/op_kernel/block_product.h"

class KernelBatchedMatmul {
 public:
  __aicore__ inline KernelBatchedMatmul() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, const BatchedMatmulTilingData& tiling, TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t batches = tiling.batches;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), batches * tiling.m * tiling.k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), batches * tiling.k * tiling.n);
    cGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), batches * tiling.m * tiling.n);
    product_.Init(tiling.plan, pipe);
  }

  __aicore__ inline void Process() {
    const uint32_t blockRows = CeilDiv(tiling_->m, tiling_->plan.baseM);
    const uint32_t blockColumns = CeilDiv(tiling_->n, tiling_->plan.baseN);
    const uint64_t blocksOfOne = static_cast<uint64_t>(blockRows) * blockColumns;
    const uint64_t blocks = blocksOfOne * tiling_->batches;
    product_.Begin();
    for (uint64_t block = GetBlockIdx(); block < blocks; block += GetBlockNum()) {
      const BlockPosition position = PositionOf(block % blocksOfOne, blockRows, blockColumns);
      ComputeBlock(block / blocksOfOne, position.row * tiling_->plan.baseM, position.column * tiling_->plan.baseN);
    }
    product_.End();
  }

 private:
  __aicore__ inline void ComputeBlock(uint64_t batch, uint32_t row, uint32_t column) {
    const uint64_t m = tiling_->m;
    const uint64_t n = tiling_->n;
    const uint64_t k = tiling_->k;
    BlockExtents extents;
    extents.m = Least(tiling_->plan.baseM, tiling_->m - row);
    extents.n = Least(tiling_->plan.baseN, tiling_->n - column);
    extents.k = tiling_->k;
    extents.strideA = tiling_->k;
    extents.strideB = tiling_->n;
    product_.Compute(aGm_[(batch * m + row) * k], bGm_[batch * k * n + column], extents);
    product_.Store(cGm_[(batch * m + row) * n + column], tiling_->n);
  }

  BlockProduct<half, float> product_;
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  GlobalTensor<half> cGm_;
  const BatchedMatmulTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void batched_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelBatchedMatmul op;
  op.Init(a, b, c, tilingData, &pipe);
  op.Process();
}
