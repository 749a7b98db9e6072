// One step of Adam, in place, with weight decay in the gradient (mode 0) or beside it (mode 1), and a moving average s
// of var; in float32, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/optimiser_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelApplyFusedEmaAdam : public RowPipeline<KernelApplyFusedEmaAdam<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 6;

  // Outputs lie where the inputs of their names do.
  __aicore__ inline void Init(GM_ADDR grad, GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR s, GM_ADDR step, GM_ADDR varOut,
                              GM_ADDR mOut, GM_ADDR vOut, GM_ADDR sOut, const ApplyFusedEmaAdamTilingData& tiling,
                              AscendC::TPipe* pipe) {
    adam_ = &tiling;
    this->Start(tiling.rows, pipe);
    if (tiling.corrects != 0) {
      AscendC::GlobalTensor<int64_t> count;
      count.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(step), 1);
      const int64_t steps = count.GetValue(0);
      inverse1_ = 1.0f / optimiser::Correction(tiling.beta1, steps);
      inverse2_ = 1.0f / optimiser::Correction(tiling.beta2, steps);
    }
    const uint64_t columns = tiling.rows.columns;
    for (GM_ADDR input : {grad, var, m, v, s}) {
      this->template AddInput<T>(input, columns);
    }
    for (GM_ADDR output : {varOut, mOut, vOut, sOut}) {
      this->template AddOutput<T>(output, columns);
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    Floats grad = this->template Input<T>(0, this->Work(0), tile);
    const Floats var = this->template Input<T>(1, this->Work(1), tile);
    const Floats m = this->Work(2);
    const Floats v = this->Work(3);
    const Floats other = this->Work(4);
    const Floats decay = this->Work(5);
    AscendC::Muls(decay, var, adam_->weightDecay, count);
    if (adam_->decoupled == 0) {
      AscendC::Add(this->Work(0), grad, decay, count);
      grad = this->Work(0);
    }
    AscendC::Muls(m, this->template Input<T>(2, m, tile), adam_->beta1, count);
    AscendC::Muls(other, grad, 1.0f - adam_->beta1, count);
    AscendC::Add(m, m, other, count);
    AscendC::Mul(other, grad, grad, count);
    AscendC::Muls(other, other, 1.0f - adam_->beta2, count);
    AscendC::Muls(v, this->template Input<T>(3, v, tile), adam_->beta2, count);
    AscendC::Add(v, v, other, count);
    rows::Narrow(this->template OutputSlice<T>(1), m, count);
    rows::Narrow(this->template OutputSlice<T>(2), v, count);
    AscendC::Muls(v, v, inverse2_, count);
    AscendC::Sqrt(v, v, count);
    AscendC::Adds(v, v, adam_->eps, count);
    AscendC::Muls(m, m, inverse1_, count);
    AscendC::Div(m, m, v, count);
    if (adam_->decoupled != 0) {
      AscendC::Add(m, m, decay, count);
    }
    AscendC::Muls(m, m, adam_->lr, count);
    AscendC::Sub(m, var, m, count);
    rows::Narrow(this->template OutputSlice<T>(0), m, count);
    AscendC::Muls(other, this->template Input<T>(4, other, tile), adam_->emaDecay, count);
    AscendC::Muls(m, m, 1.0f - adam_->emaDecay, count);
    AscendC::Add(other, other, m, count);
    rows::Narrow(this->template OutputSlice<T>(3), other, count);
  }

 private:
  const ApplyFusedEmaAdamTilingData* adam_ = nullptr;
  float inverse1_ = 1.0f;
  float inverse2_ = 1.0f;
};

extern "C" __global__ __aicore__ void apply_fused_ema_adam(GM_ADDR grad, GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR s,
                                                           GM_ADDR step, GM_ADDR varOut, GM_ADDR mOut, GM_ADDR vOut,
                                                           GM_ADDR sOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelApplyFusedEmaAdam<DTYPE_VAR> op;
  op.Init(grad, var, m, v, s, step, varOut, mOut, vOut, sOut, tilingData, &pipe);
  op.Process();
}
