// d = a * b + bias on the cube cores: float16 with float32 sums that start from the bias, rounded once.
#include "common/inc/op_kernel/block_product.h"

class KernelMatmulBias {
 public:
  __aicore__ inline KernelMatmulBias() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d, const MatmulBiasTilingData& tiling,
                              TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), m * k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), k * n);
    biasGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(bias), n);
    dGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(d), m * n);
    product_.Init(tiling.plan, pipe);
  }

  __aicore__ inline void Process() {
    product_.Begin();
    for (uint64_t block = GetBlockIdx(); block < CountBlocks(*tiling_); block += GetBlockNum()) {
      const LocatedBlock<half> located = LocateBlock(*tiling_, aGm_, bGm_, block);
      product_.Compute(located.a, located.b, biasGm_[located.column], located.extents);
      product_.Store(dGm_[static_cast<uint64_t>(located.row) * tiling_->n + located.column], tiling_->n);
    }
    product_.End();
  }

 private:
  BlockProduct<half, float, true> product_;
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  GlobalTensor<half> biasGm_;
  GlobalTensor<half> dGm_;
  const MatmulBiasTilingData* tiling_ = nullptr;
};

extern "C" __global__ __aicore__ void matmul_bias(GM_ADDR a, GM_ADDR b, GM_ADDR bias, GM_ADDR d, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelMatmulBias op;
  op.Init(a, b, bias, d, tilingData, &pipe);
  op.Process();
}
