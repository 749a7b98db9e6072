// y = swish((x - mean) * rstd * gamma + beta) with mean and rstd of each group of channels of each image; float32
// inside, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/channel_weights.h"
#include "op_kernel/row_pipeline.h"

template <typename T, typename W>
class KernelGroupNormSwish : public RowPipeline<KernelGroupNormSwish<T, W>> {
 public:
  static constexpr uint32_t PASSES = 2;
  static constexpr uint32_t WORKS = 4;
  static constexpr uint32_t KEPT = 1;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd,
                              const GroupNormSwishTilingData& tiling, AscendC::TPipe* pipe) {
    norm_ = &tiling;
    this->Start(tiling.rows, pipe);
    weights_.Init(tiling.groups * tiling.channels, tiling.channels, tiling.spatial, pipe);
    weights_.template Load<W>(gamma, beta);
    this->template AddInput<T>(x, tiling.rows.columns);
    this->template AddOutput<T>(y, tiling.rows.columns);
    this->template AddScalarOutput<W>(mean);
    this->template AddScalarOutput<W>(rstd);
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats x = this->Work(0);
    const Floats wide = this->template Input<T>(0, x, tile);
    if constexpr (AscendC::IsSameType<T, float>::value) {
      AscendC::Adds(x, wide, 0.0f, tile.Count());
    }
  }

  __aicore__ inline void Partial(uint32_t pass, const Tile& tile) {
    const Floats x = this->Work(0);
    const Floats scratch = this->Work(1);
    if (pass == AVERAGE) {
      this->SumKeeping(this->Scalar(AVERAGE), x, scratch, tile);
    } else {
      AscendC::Mul(scratch, x, x, tile.Count());
      this->Sum(this->Scalar(SPREAD), scratch, tile);
    }
  }

  __aicore__ inline void Finish(uint32_t pass, uint32_t rows) {
    const Floats sum = this->Scalar(pass);
    const int32_t count = static_cast<int32_t>(rows);
    AscendC::Muls(sum, sum, norm_->reciprocal, count);
    if (pass == SPREAD) {
      const Floats ones = this->Scalar(ONES);
      AscendC::Adds(sum, sum, norm_->epsilon, count);
      AscendC::Sqrt(sum, sum, count);
      AscendC::Duplicate(ones, 1.0f, count);
      AscendC::Div(sum, ones, sum, count);
    }
    rows::Narrow(this->template ScalarOutputSlice<W>(pass), sum, count);
  }

  __aicore__ inline void Apply(uint32_t pass, const Tile& tile) {
    const Floats x = this->Work(0);
    if (pass == AVERAGE) {
      rows::WithScalars(rows::Sub(), x, x, this->Spread(this->Scalar(AVERAGE), tile), tile);
    } else {
      rows::WithScalars(rows::Mul(), x, x, this->Spread(this->Scalar(SPREAD), tile), tile);
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    const Floats y = this->Work(1);
    const int32_t count = tile.Count();
    weights_.Apply(this->Work(0), this->Work(2), this->Work(3), norm_->groups, tile);
    if (norm_->active != 0) {
      activation::Swish(y, this->Work(0), norm_->scale, count);
      rows::Narrow(this->template OutputSlice<T>(0), y, count);
    } else {
      rows::Narrow(this->template OutputSlice<T>(0), this->Work(0), count);
    }
  }

 private:
  static constexpr uint32_t AVERAGE = 0;  // passes, their row scalars and their outputs
  static constexpr uint32_t SPREAD = 1;
  static constexpr uint32_t ONES = 2;

  const GroupNormSwishTilingData* norm_ = nullptr;
  ChannelWeights weights_;
};

extern "C" __global__ __aicore__ void group_norm_swish(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean,
                                                       GM_ADDR rstd, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelGroupNormSwish<DTYPE_X, DTYPE_GAMMA> op;
  op.Init(x, gamma, beta, y, mean, rstd, tilingData, &pipe);
  op.Process();
}
