// x_grad = (exp(log_prob) - one-hot(target)) * a where a is grad_loss times the weight of the class, for the mean
// divided by the sum of the weights; in float32, rounded once. There is no label smoothing and no z-loss.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"
#include "op_kernel/samples.h"

template <typename T>
class KernelCrossEntropyLossGrad : public RowPipeline<KernelCrossEntropyLossGrad<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 1;
  static constexpr bool ROW_SCALARS = true;

  __aicore__ inline void Init(GM_ADDR gradLoss, GM_ADDR logProb, GM_ADDR target, GM_ADDR weight, GM_ADDR xGrad,
                              GM_ADDR workspace, const CrossEntropyLossGradTilingData& tiling, AscendC::TPipe* pipe) {
    loss_ = &tiling;
    this->Start(tiling.rows, pipe);
    samples_.Init(target, weight, tiling.localWeights, tiling.ignored, tiling.weighted != 0, pipe);
    sums_.Init(workspace, pipe);
    gradLoss_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(gradLoss));
    this->template AddInput<T>(logProb, tiling.rows.columns);
    this->template AddOutput<T>(xGrad, tiling.rows.columns);
  }

  __aicore__ inline void Process() {
    if (loss_->reduction != NONE) {
      upstream_ = Wide(gradLoss_.GetValue(0));
    }
    if (loss_->reduction == MEAN) {
      share_ = 1.0f / TotalWeight();
    }
    this->Allocate();
    this->Run();
  }

  // Work(0) = exp(log_prob) * a, and - a at the class of the sample, where a is what the sample counts.
  __aicore__ inline void Widen(const Tile& tile) {
    const Floats x = this->Work(0);
    const Floats factors = this->Scalar(0);
    AscendC::Exp(x, this->template Input<T>(0, x, tile), tile.Count());
    samples_.Load(tile.row, tile.rows);
    for (uint32_t row = 0; row < tile.rows; ++row) {
      factors.SetValue(row, Upstream(tile.row + row) * share_ * samples_.Weight(samples_.Class(row)));
    }
    rows::WithScalars(rows::Mul(), x, x, this->Spread(factors, tile), tile);
    for (uint32_t row = 0; row < tile.rows; ++row) {
      const uint64_t label = static_cast<uint64_t>(samples_.Class(row));
      if (label >= tile.column && label < tile.column + tile.columns) {
        const uint32_t at = row * tile.stride + static_cast<uint32_t>(label - tile.column);
        x.SetValue(at, x.GetValue(at) - factors.GetValue(row));
      }
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    rows::Narrow(this->template OutputSlice<T>(0), this->Work(0), tile.Count());
  }

 private:
  static constexpr uint32_t NONE = 0;  // reductions
  static constexpr uint32_t MEAN = 1;

  __aicore__ inline float Upstream(uint64_t sample) {
    if (loss_->reduction != NONE) {
      return upstream_;
    }
    return Wide(gradLoss_.GetValue(sample));
  }

  static __aicore__ inline float Wide(T value) {
    if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) {
      return AscendC::ToFloat(value);
    } else {
      return static_cast<float>(value);
    }
  }

  // Every core adds up a part of the samples.
  __aicore__ inline float TotalWeight() {
    const uint64_t share = (this->tiling_->rows + AscendC::GetBlockNum() - 1) / AscendC::GetBlockNum();
    const uint64_t first = share * AscendC::GetBlockIdx();
    const uint64_t end = first + share < this->tiling_->rows ? first + share : this->tiling_->rows;
    BlockedSum own;
    for (uint64_t sample = first; sample < end; sample += Samples::AT_ONCE) {
      const uint32_t count = end - sample < Samples::AT_ONCE ? static_cast<uint32_t>(end - sample) : Samples::AT_ONCE;
      samples_.Load(sample, count);
      for (uint32_t i = 0; i < count; ++i) {
        own.Add(samples_.Weight(samples_.Class(i)));
      }
    }
    AscendC::Duplicate(sums_.Own(), own.Value(), static_cast<int32_t>(rows::LANES_PER_BLOCK));
    return rows::Read(this->pipe_, sums_.Total(), 0) + 1e-12f;
  }

  const CrossEntropyLossGradTilingData* loss_ = nullptr;
  Samples samples_;
  CoreSums sums_;
  AscendC::GlobalTensor<T> gradLoss_;
  float share_ = 1.0f;
  float upstream_ = 0.0f;  // of all samples, where their losses were reduced
};

extern "C" __global__ __aicore__ void cross_entropy_loss_grad(GM_ADDR gradLoss, GM_ADDR logProb, GM_ADDR target,
                                                              GM_ADDR weight, GM_ADDR gradZloss, GM_ADDR lseForZloss,
                                                              GM_ADDR xGrad, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelCrossEntropyLossGrad<DTYPE_LOG_PROB> op;
  op.Init(gradLoss, logProb, target, weight, xGrad, workspace, tilingData, &pipe);
  op.Process();
}
