// log_prob = x - max - log(sum of exp(x - max)); the loss of a sample is -log_prob at its class times its weight, mixed
// with the mean over all classes where labels are smooth; in float32, rounded once. There is no z-loss.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"
#include "op_kernel/samples.h"

// Passes over the logits: maximum, sum of exponentials and, with SMOOTH, the weighted sum of the log-probabilities.
template <typename T, bool SMOOTH>
class KernelCrossEntropyLoss : public RowPipeline<KernelCrossEntropyLoss<T, SMOOTH>> {
 public:
  static constexpr uint32_t PASSES = SMOOTH ? 3 : 2;
  static constexpr uint32_t WORKS = 2;
  static constexpr uint32_t KEPT = 1;

  __aicore__ inline void Init(GM_ADDR input, GM_ADDR target, GM_ADDR weight, GM_ADDR loss, GM_ADDR logProb,
                              GM_ADDR workspace, const CrossEntropyLossTilingData& tiling, AscendC::TPipe* pipe) {
    loss_ = &tiling;
    result_ = loss;
    this->Start(tiling.rows, pipe);
    samples_.Init(target, weight, tiling.localWeights, tiling.ignored, tiling.weighted != 0, pipe);
    sums_.Init(workspace, pipe);
    this->template AddInput<T>(input, tiling.rows.columns);
    this->template AddOutput<T>(logProb, tiling.rows.columns);
    if (tiling.reduction == NONE) {
      this->template AddScalarOutput<T>(loss);
    }
    if (SMOOTH && tiling.weighted != 0) {
      this->template AddVector<float>(weight, 1u << LOG_PROBABILITIES);
    }
  }

  __aicore__ inline void Process() {
    this->Allocate();
    this->Run();
    if (loss_->reduction != NONE) {
      Reduce();
    }
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats x = this->Work(0);
    const Floats wide = this->template Input<T>(0, x, tile);
    if constexpr (AscendC::IsSameType<T, float>::value) {
      AscendC::Adds(x, wide, 0.0f, tile.Count());
    }
  }

  __aicore__ inline void Partial(uint32_t pass, const Tile& tile) {
    const Floats scratch = this->Work(1);
    const int32_t count = tile.Count();
    if (pass == LARGEST) {
      this->MaximumKeeping(this->Scalar(LARGEST), this->Work(0), scratch, tile);
      return;
    }
    if (pass == EXPONENTIALS) {
      AscendC::Exp(scratch, this->Work(0), count);
    } else if (loss_->weighted != 0) {
      rows::WithVector(rows::Mul(), scratch, this->Work(0), this->Vector(0), tile);
    } else {
      this->SumKeeping(this->Scalar(pass), this->Work(0), scratch, tile);
      return;
    }
    this->Sum(this->Scalar(pass), scratch, tile);
  }

  __aicore__ inline void Finish(uint32_t pass, uint32_t rows) {
    if (pass == EXPONENTIALS) {
      AscendC::Ln(this->Scalar(pass), this->Scalar(pass), static_cast<int32_t>(rows));
    }
  }

  __aicore__ inline void Apply(uint32_t pass, const Tile& tile) {
    if (pass != LOG_PROBABILITIES) {
      const Floats x = this->Work(0);
      rows::WithScalars(rows::Sub(), x, x, this->Spread(this->Scalar(pass), tile), tile);
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    const Floats x = this->Work(0);
    rows::Narrow(this->template OutputSlice<T>(0), x, tile.Count());
    const Floats losses = this->Scalar(LOSSES);
    bool complete = true;
    samples_.Load(tile.row, tile.rows);
    for (uint32_t row = 0; row < tile.rows; ++row) {
      const int64_t target = samples_.Class(row);
      const uint64_t label = static_cast<uint64_t>(target);
      if (label < tile.column || label >= tile.column + tile.columns) {
        complete = false;  // a tile of a row, and the class is in another one
        continue;
      }
      const float weight = samples_.Weight(target);
      const float own = x.GetValue(row * tile.stride + static_cast<uint32_t>(label - tile.column));
      float loss = (loss_->smoothing - 1.0f) * own * weight;
      if constexpr (SMOOTH) {
        if (!samples_.Ignores(target)) {
          const float all = this->Scalar(LOG_PROBABILITIES).GetValue(row);
          loss -= loss_->smoothing * all / static_cast<float>(static_cast<int32_t>(loss_->rows.columns));
        }
      }
      lossSum_.Add(loss);
      weightSum_.Add(weight);
      if (loss_->reduction == NONE) {
        losses.SetValue(row, loss);
      }
    }
    if (complete && loss_->reduction == NONE) {
      rows::Narrow(this->template ScalarOutputSlice<T>(0), losses, static_cast<int32_t>(tile.rows));
    }
  }

 private:
  static constexpr uint32_t NONE = 0;  // reductions
  static constexpr uint32_t MEAN = 1;
  static constexpr uint32_t LARGEST = 0;  // passes, and their row scalars
  static constexpr uint32_t EXPONENTIALS = 1;
  static constexpr uint32_t LOG_PROBABILITIES = 2;
  static constexpr uint32_t LOSSES = 3;

  __aicore__ inline void Reduce() {
    const Floats own = sums_.Own();
    AscendC::Duplicate(own, weightSum_.Value(), static_cast<int32_t>(rows::LANES_PER_BLOCK));
    AscendC::Duplicate(own, lossSum_.Value(), 1);
    const Floats total = sums_.Total();
    if (AscendC::GetBlockIdx() != 0) {
      return;
    }
    float loss = rows::Read(this->pipe_, total, 0);
    if (loss_->reduction == MEAN) {
      loss = loss / (rows::Read(this->pipe_, total, 1) + 1e-12f);
    }
    AscendC::Duplicate(total, loss, 1);
    const AscendC::LocalTensor<T> narrow = this->Work(0).template ReinterpretCast<T>();
    rows::Narrow(narrow, total, 1);
    sums_.Store(result_, narrow, 1);
  }

  const CrossEntropyLossTilingData* loss_ = nullptr;
  Samples samples_;
  CoreSums sums_;
  GM_ADDR result_ = nullptr;
  BlockedSum lossSum_;
  BlockedSum weightSum_;
};

extern "C" __global__ __aicore__ void cross_entropy_loss(GM_ADDR input, GM_ADDR target, GM_ADDR weight, GM_ADDR loss,
                                                         GM_ADDR logProb, GM_ADDR zloss, GM_ADDR lseForZloss,
                                                         GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    KernelCrossEntropyLoss<DTYPE_INPUT, false> op;
    op.Init(input, target, weight, loss, logProb, workspace, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    KernelCrossEntropyLoss<DTYPE_INPUT, true> op;
    op.Init(input, target, weight, loss, logProb, workspace, tilingData, &pipe);
    op.Process();
  }
}
