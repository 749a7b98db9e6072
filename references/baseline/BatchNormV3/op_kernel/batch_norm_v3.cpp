// y = (x - mean) * rstd * weight + bias with mean and variance of each channel, of the batch in training and the
// running ones otherwise; training moves the running ones towards those of the batch. float32 inside, y rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

// A core works on whole channels: the rows of one channel are `channels * spatial` elements apart.
template <typename T, typename W>
class KernelBatchNormV3 : public RowPipeline<KernelBatchNormV3<T, W>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 2;
  static constexpr bool ROW_SCALARS = true;

  struct Arguments {
    GM_ADDR x;
    GM_ADDR weight;
    GM_ADDR bias;
    GM_ADDR runningMean;
    GM_ADDR runningVar;
    GM_ADDR y;
    GM_ADDR runningMeanOut;
    GM_ADDR runningVarOut;
    GM_ADDR saveMean;
    GM_ADDR saveRstd;
  };

  __aicore__ inline void Init(const Arguments& arguments, const BatchNormV3TilingData& tiling, AscendC::TPipe* pipe) {
    norm_ = &tiling;
    arguments_ = arguments;
    this->Start(tiling.rows, pipe);
    const uint64_t pitch = tiling.channels * tiling.spatial;
    this->template AddInput<T>(arguments.x, pitch);
    this->template AddOutput<T>(arguments.y, pitch);
    pipe->InitBuffer(resultBuffer_, RESULTS * BLOCK_BYTES);
  }

  __aicore__ inline void Process() {
    this->Allocate();
    const uint64_t tiles = this->tiling_->mode == this->WHOLE ? 1 : this->TilesPerRow();
    const bool once = this->tiling_->mode == this->WHOLE && this->tiling_->stepRows >= this->tiling_->rows;
    this->first_ = 0;
    this->count_ = this->tiling_->rows * tiles;
    for (uint64_t channel = AscendC::GetBlockIdx(); channel < norm_->channels; channel += AscendC::GetBlockNum()) {
      this->StartAt(channel * norm_->spatial);
      weight_ = norm_->weighted != 0 ? rows::ScalarOf<W>(arguments_.weight + channel * sizeof(W)) : 1.0f;
      bias_ = norm_->biased != 0 ? rows::ScalarOf<W>(arguments_.bias + channel * sizeof(W)) : 0.0f;
      const float oldMean = rows::ScalarOf<float>(arguments_.runningMean + channel * sizeof(float));
      const float oldVariance = rows::ScalarOf<float>(arguments_.runningVar + channel * sizeof(float));
      if (norm_->training == 0) {
        mean_ = oldMean;
        variance_ = oldVariance;
        SetRstd();
        Go(WRITE);
      } else if (once) {
        Go(ALL);
      } else {
        Go(AVERAGE);
        SetMean();
        Go(SPREAD);
        SetVariance();
        Go(WRITE);
      }
      Save(channel, oldMean, oldVariance);
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const Floats x = this->template Input<T>(0, this->Work(0), tile);
    if (phase_ == AVERAGE || phase_ == ALL) {
      AscendC::Adds(this->Work(1), x, 0.0f, tile.Count());
      AddUp(tile);
    }
    if (phase_ == ALL) {
      SetMean();
      Clear();
    }
    if (phase_ == SPREAD || phase_ == ALL) {
      AscendC::Adds(this->Work(1), x, -mean_, tile.Count());
      AscendC::Mul(this->Work(1), this->Work(1), this->Work(1), tile.Count());
      AddUp(tile);
    }
    if (phase_ == ALL) {
      SetVariance();
    }
    if (phase_ == WRITE || phase_ == ALL) {
      const Floats y = this->Work(1);
      AscendC::Adds(y, x, -mean_, tile.Count());
      AscendC::Muls(y, y, rstd_ * weight_, tile.Count());
      AscendC::Adds(y, y, bias_, tile.Count());
      rows::Narrow(this->template OutputSlice<T>(0), y, tile.Count());
    }
  }

 private:
  enum Phase : uint32_t { AVERAGE, SPREAD, WRITE, ALL };
  static constexpr uint32_t SUM = 0;  // row scalars
  static constexpr uint32_t PARTS = 1;
  static constexpr uint32_t PART = 2;
  static constexpr uint32_t RESULTS = 4;
  static constexpr uint32_t BLOCK_BYTES = 32;

  // One way through the channel.
  __aicore__ inline void Go(Phase phase) {
    phase_ = phase;
    this->writes_ = phase == WRITE || phase == ALL;
    Clear();
    this->Run();
  }

  __aicore__ inline void Clear() { AscendC::Duplicate(this->Scalar(SUM), 0.0f, 1); }

  // Adds Work(1), which is overwritten, to the sum.
  __aicore__ inline void AddUp(const Tile& tile) {
    rows::Reduce<rows::SumOf>(this->Scalar(PARTS), this->Work(1), tile);
    Tile parts;
    parts.columns = tile.rows;
    rows::Reduce<rows::SumOf>(this->Scalar(PART), this->Scalar(PARTS), parts);
    AscendC::Add(this->Scalar(SUM), this->Scalar(SUM), this->Scalar(PART), 1);
  }

  __aicore__ inline void SetMean() { mean_ = rows::Read(this->pipe_, this->Scalar(SUM), 0) * norm_->reciprocal; }
  __aicore__ inline void SetVariance() {
    variance_ = rows::Read(this->pipe_, this->Scalar(SUM), 0) * norm_->reciprocal;
    SetRstd();
  }

  __aicore__ inline void SetRstd() {
    const Floats root = this->Scalar(PART);
    const Floats one = this->Scalar(PARTS);
    AscendC::Duplicate(root, variance_ + norm_->epsilon, 1);
    AscendC::Sqrt(root, root, 1);
    AscendC::Duplicate(one, 1.0f, 1);
    AscendC::Div(root, one, root, 1);
    rstd_ = rows::Read(this->pipe_, root, 0);
  }

  __aicore__ inline void Save(uint64_t channel, float oldMean, float oldVariance) {
    const float share = norm_->training != 0 ? norm_->momentum : 0.0f;
    const float values[RESULTS] = {(1.0f - share) * oldMean + share * mean_,
                                   (1.0f - share) * oldVariance + share * variance_, mean_, rstd_};
    GM_ADDR targets[RESULTS] = {arguments_.runningMeanOut, arguments_.runningVarOut, arguments_.saveMean,
                                arguments_.saveRstd};
    const Floats results = resultBuffer_.template Get<float>();
    for (uint32_t i = 0; i < RESULTS; ++i) {
      results.SetValue(i * rows::LANES_PER_BLOCK, values[i]);
    }
    const event_t ready = static_cast<event_t>(this->pipe_->FetchEventID(AscendC::HardEvent::S_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(ready);
    AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(ready);
    const AscendC::DataCopyExtParams copy{1, sizeof(float), 0, 0, 0};
    for (uint32_t i = norm_->training != 0 ? 0 : 2; i < RESULTS; ++i) {
      AscendC::GlobalTensor<float> target;
      target.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(targets[i]) + channel, 1);
      AscendC::DataCopyPad(target, results[i * rows::LANES_PER_BLOCK], copy);
    }
    const event_t stored = static_cast<event_t>(this->pipe_->FetchEventID(AscendC::HardEvent::MTE3_S));
    AscendC::SetFlag<AscendC::HardEvent::MTE3_S>(stored);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_S>(stored);
  }

  const BatchNormV3TilingData* norm_ = nullptr;
  Arguments arguments_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer_;
  Phase phase_ = ALL;
  float weight_ = 1.0f;
  float bias_ = 0.0f;
  float mean_ = 0.0f;
  float variance_ = 0.0f;
  float rstd_ = 0.0f;
};

extern "C" __global__ __aicore__ void batch_norm_v3(GM_ADDR x, GM_ADDR weight, GM_ADDR bias, GM_ADDR runningMean,
                                                    GM_ADDR runningVar, GM_ADDR y, GM_ADDR runningMeanOut,
                                                    GM_ADDR runningVarOut, GM_ADDR saveMean, GM_ADDR saveRstd,
                                                    GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelBatchNormV3<DTYPE_X, DTYPE_WEIGHT> op;
  op.Init({x, weight, bias, runningMean, runningVar, y, runningMeanOut, runningVarOut, saveMean, saveRstd}, tilingData,
          &pipe);
  op.Process();
}
