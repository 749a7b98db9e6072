// One step t = step + 1 of AdamW, in place: m and v are the moving averages of g (negative where maximize) and its
// square, var = var * (1 - lr * weight_decay) - lr / (1 - beta1^t) * m / (sqrt(q / (1 - beta2^t)) + eps) where q is v
// or, with amsgrad, the largest v so far, which max_grad_norm holds; in float32, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/optimiser_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T, typename G, typename S>
class KernelApplyAdamWV2 : public RowPipeline<KernelApplyAdamWV2<T, G, S>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 6;

  // Outputs lie where the inputs of their names do.
  __aicore__ inline void Init(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad, GM_ADDR step, GM_ADDR maxGradNorm,
                              GM_ADDR varOut, GM_ADDR mOut, GM_ADDR vOut, GM_ADDR maxGradNormOut,
                              const ApplyAdamWV2TilingData& tiling, AscendC::TPipe* pipe) {
    adam_ = &tiling;
    this->Start(tiling.rows, pipe);
    AscendC::GlobalTensor<S> count;
    count.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(step), 1);
    const int64_t steps = static_cast<int64_t>(count.GetValue(0)) + 1;
    rate_ = tiling.lr / optimiser::Correction(tiling.beta1, steps);
    inverseCorrection_ = 1.0f / optimiser::Correction(tiling.beta2, steps);
    const uint64_t columns = tiling.rows.columns;
    this->template AddInput<T>(var, columns);
    this->template AddInput<T>(m, columns);
    this->template AddInput<T>(v, columns);
    this->template AddInput<G>(grad, columns);
    this->template AddOutput<T>(varOut, columns);
    this->template AddOutput<T>(mOut, columns);
    this->template AddOutput<T>(vOut, columns);
    if (tiling.amsgrad != 0) {
      this->template AddInput<G>(maxGradNorm, columns);
      this->template AddOutput<G>(maxGradNormOut, columns);
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats grad = this->template Input<G>(3, this->Work(0), tile);
    const Floats m = this->template Input<T>(1, this->Work(1), tile);
    const Floats v = this->template Input<T>(2, this->Work(2), tile);
    const Floats nextM = this->Work(3);
    const Floats nextV = this->Work(4);
    const Floats other = this->Work(5);
    // m + (1 - beta1) * (g - m), v * beta2 + (1 - beta2) * g^2
    if (adam_->maximize != 0) {
      AscendC::Add(nextM, grad, m, count);
      AscendC::Muls(nextM, nextM, adam_->beta1 - 1.0f, count);
    } else {
      AscendC::Sub(nextM, grad, m, count);
      AscendC::Muls(nextM, nextM, 1.0f - adam_->beta1, count);
    }
    AscendC::Add(nextM, nextM, m, count);
    AscendC::Mul(other, grad, grad, count);
    AscendC::Muls(other, other, 1.0f - adam_->beta2, count);
    AscendC::Muls(nextV, v, adam_->beta2, count);
    AscendC::Add(nextV, nextV, other, count);
    rows::Narrow(this->template OutputSlice<T>(1), nextM, count);
    rows::Narrow(this->template OutputSlice<T>(2), nextV, count);
    if (adam_->amsgrad != 0) {
      AscendC::Max(nextV, nextV, this->template Input<G>(4, other, tile), count);
      rows::Narrow(this->template OutputSlice<G>(3), nextV, count);
    }
    AscendC::Muls(nextV, nextV, inverseCorrection_, count);
    AscendC::Sqrt(nextV, nextV, count);
    AscendC::Adds(nextV, nextV, adam_->eps, count);
    AscendC::Muls(nextM, nextM, rate_, count);
    AscendC::Div(nextM, nextM, nextV, count);
    const Floats var = this->template Input<T>(0, other, tile);
    AscendC::Muls(other, var, 1.0f - adam_->lr * adam_->weightDecay, count);
    AscendC::Sub(other, other, nextM, count);
    rows::Narrow(this->template OutputSlice<T>(0), other, count);
  }

 private:
  const ApplyAdamWV2TilingData* adam_ = nullptr;
  float rate_ = 0.0f;
  float inverseCorrection_ = 0.0f;
};

extern "C" __global__ __aicore__ void apply_adam_wv2(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad, GM_ADDR step,
                                                     GM_ADDR maxGradNorm, GM_ADDR varOut, GM_ADDR mOut, GM_ADDR vOut,
                                                     GM_ADDR maxGradNormOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelApplyAdamWV2<DTYPE_VAR, DTYPE_GRAD, DTYPE_STEP> op;
  op.Init(var, m, v, grad, step, maxGradNorm, varOut, mOut, vOut, maxGradNormOut, tilingData, &pipe);
  op.Process();
}
