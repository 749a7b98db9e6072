// Gradient of group normalisation followed by swish. With h = (x - mean) * rstd and u the derivative of the swish times
// dy: dbeta and dgamma are the sums of u and u * h of a channel, dx = rstd * (u * gamma - h * mean(u * h * gamma) -
// mean(u * gamma)) with means over a group; float32 inside, results rounded once.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

// A core works on whole groups of all images, so that it adds up dgamma and dbeta of their channels alone. A row is one
// channel of one image.
template <typename T>
class KernelGroupNormSwishGrad : public RowPipeline<KernelGroupNormSwishGrad<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 4;
  static constexpr bool ROW_SCALARS = true;

  struct Arguments {
    GM_ADDR dy;
    GM_ADDR mean;
    GM_ADDR rstd;
    GM_ADDR x;
    GM_ADDR gamma;
    GM_ADDR beta;
    GM_ADDR dx;
    GM_ADDR dgamma;
    GM_ADDR dbeta;
  };

  __aicore__ inline void Init(const Arguments& arguments, const GroupNormSwishGradTilingData& tiling,
                              AscendC::TPipe* pipe) {
    norm_ = &tiling;
    arguments_ = arguments;
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(arguments.dy, tiling.rows.columns);
    this->template AddInput<T>(arguments.x, tiling.rows.columns);
    this->template AddOutput<T>(arguments.dx, tiling.rows.columns);
    length_ = (tiling.channels + UNIT - 1) / UNIT * UNIT;
    pipe->InitBuffer(sumBuffer_, 2 * length_ * sizeof(float));
  }

  __aicore__ inline void Process() {
    this->Allocate();
    const uint64_t tiles = this->tiling_->mode == this->WHOLE ? 1 : this->TilesPerRow();
    const uint64_t all = static_cast<uint64_t>(norm_->groups) * norm_->channels;
    once_ = this->tiling_->mode == this->WHOLE && this->tiling_->stepRows >= norm_->channels;
    for (uint32_t group = AscendC::GetBlockIdx(); group < norm_->groups; group += AscendC::GetBlockNum()) {
      group_ = group;
      AscendC::Duplicate(sumBuffer_.template Get<float>(), 0.0f, static_cast<int32_t>(2 * length_));
      for (uint64_t image = 0; image < norm_->images; ++image) {
        this->first_ = (image * all + group * norm_->channels) * tiles;
        this->count_ = norm_->channels * tiles;
        image_ = image * all + group * norm_->channels;
        const uint64_t statistic = (image * norm_->groups + group) * sizeof(T);
        mean_ = rows::ScalarOf<T>(arguments_.mean + statistic);
        rstd_ = rows::ScalarOf<T>(arguments_.rstd + statistic);
        average_ = 0.0f;
        slope_ = 0.0f;
        if (once_) {
          Go(ALL);
        } else {
          Go(SUMS);
          Go(WRITE);
        }
      }
      StoreSums();
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats h = this->Work(0);
    const Floats u = this->Work(1);
    const uint32_t channel = static_cast<uint32_t>(tile.row - image_);
    SetWeights(channel, tile.rows);
    AscendC::Adds(h, this->template Input<T>(1, h, tile), -mean_, count);
    AscendC::Muls(h, h, rstd_, count);
    Upstream(u, h, tile);
    if (phase_ != WRITE) {
      AddUp(h, u, channel, tile);
    }
    if (phase_ != SUMS) {
      rows::WithScalars(rows::Mul(), u, u, this->Spread(this->Scalar(GAMMA), tile), tile);
      AscendC::Muls(h, h, slope_ * norm_->reciprocal, count);
      AscendC::Sub(u, u, h, count);
      AscendC::Adds(u, u, -average_ * norm_->reciprocal, count);
      AscendC::Muls(u, u, rstd_, count);
      rows::Narrow(this->template OutputSlice<T>(0), u, count);
    }
  }

 private:
  enum Phase : uint32_t { SUMS, WRITE, ALL };
  static constexpr uint32_t GAMMA = 0;  // row scalars
  static constexpr uint32_t BETA = 1;
  static constexpr uint32_t OF_U = 2;
  static constexpr uint32_t OF_PRODUCT = 3;
  static constexpr uint32_t OTHER = 4;
  static constexpr uint32_t TOTAL = 5;
  static constexpr uint32_t UNIT = 64;

  // One way through a group of one image.
  __aicore__ inline void Go(Phase phase) {
    phase_ = phase;
    this->writes_ = phase != SUMS;
    this->Run();
  }

  // Weights of the channels of a step, which the next image often has again.
  __aicore__ inline void SetWeights(uint32_t channel, uint32_t rows) {
    const uint64_t first = static_cast<uint64_t>(group_) * norm_->channels + channel;
    if (weightsFirst_ == first && weightsRows_ == rows) {
      return;
    }
    weightsFirst_ = first;
    weightsRows_ = rows;
    SetScalars(this->Scalar(GAMMA), arguments_.gamma + first * sizeof(T), rows);
    SetScalars(this->Scalar(BETA), arguments_.beta + first * sizeof(T), rows);
  }

  __aicore__ inline void SetScalars(const Floats& scalars, GM_ADDR address, uint32_t rows) {
    for (uint32_t row = 0; row < rows; ++row) {
      scalars.SetValue(row, rows::ScalarOf<T>(address + row * sizeof(T)));
    }
  }

  // u = dy * (1 + z - z / e) / e with z = h * gamma + beta and e = 1 + exp(-scale * z).
  __aicore__ inline void Upstream(const Floats& u, const Floats& h, const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats e = this->Work(2);
    const Floats other = this->Work(3);
    rows::WithScalars(rows::Mul(), u, h, this->Spread(this->Scalar(GAMMA), tile), tile);
    rows::WithScalars(rows::Add(), u, u, this->Spread(this->Scalar(BETA), tile), tile);
    AscendC::Muls(e, u, -norm_->scale, count);
    AscendC::Exp(e, e, count);
    AscendC::Adds(e, e, 1.0f, count);
    AscendC::Div(other, u, e, count);
    AscendC::Sub(u, u, other, count);
    AscendC::Adds(u, u, 1.0f, count);
    AscendC::Div(u, u, e, count);
    AscendC::Mul(u, u, this->template Input<T>(0, other, tile), count);
  }

  // Sums of u and u * h of each channel, and with gamma those of the group.
  __aicore__ inline void AddUp(const Floats& h, const Floats& u, uint32_t channel, const Tile& tile) {
    const Floats product = this->Work(2);
    AscendC::Mul(product, u, h, tile.Count());
    rows::ReduceKeeping<rows::SumOf>(this->Scalar(OF_U), u, this->Work(3), tile);
    rows::Reduce<rows::SumOf>(this->Scalar(OF_PRODUCT), product, tile);
    const Floats sums = sumBuffer_.template Get<float>();
    if (once_) {
      AscendC::Add(sums, sums, this->Scalar(OF_PRODUCT), static_cast<int32_t>(tile.rows));
      AscendC::Add(sums[length_], sums[length_], this->Scalar(OF_U), static_cast<int32_t>(tile.rows));
    } else {
      for (uint32_t row = 0; row < tile.rows; ++row) {
        const uint32_t at = channel + row;
        sums.SetValue(at, sums.GetValue(at) + this->Scalar(OF_PRODUCT).GetValue(row));
        sums.SetValue(length_ + at, sums.GetValue(length_ + at) + this->Scalar(OF_U).GetValue(row));
      }
    }
    average_ += Weighted(OF_U, tile.rows);
    slope_ += Weighted(OF_PRODUCT, tile.rows);
  }

  __aicore__ inline float Weighted(uint32_t sums, uint32_t rows) {
    Tile tile;
    tile.columns = rows;
    AscendC::Mul(this->Scalar(OTHER), this->Scalar(sums), this->Scalar(GAMMA), static_cast<int32_t>(rows));
    rows::Reduce<rows::SumOf>(this->Scalar(TOTAL), this->Scalar(OTHER), tile);
    return rows::Read(this->pipe_, this->Scalar(TOTAL), 0);
  }

  __aicore__ inline void StoreSums() {
    const Floats sums = sumBuffer_.template Get<float>();
    if (norm_->dgamma != 0) {
      StoreOne(arguments_.dgamma, sums);
    }
    if (norm_->dbeta != 0) {
      StoreOne(arguments_.dbeta, sums[length_]);
    }
    const event_t stored = static_cast<event_t>(this->pipe_->FetchEventID(AscendC::HardEvent::MTE3_V));
    AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(stored);
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(stored);
  }

  __aicore__ inline void StoreOne(GM_ADDR address, const Floats& sums) {
    const AscendC::LocalTensor<T> narrow = sums.template ReinterpretCast<T>();
    if constexpr (!AscendC::IsSameType<T, float>::value) {
      rows::Narrow(narrow, sums, static_cast<int32_t>(norm_->channels));
    }
    AscendC::GlobalTensor<T> target;
    target.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address) + static_cast<uint64_t>(group_) * norm_->channels);
    const event_t computed = static_cast<event_t>(this->pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(computed);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(computed);
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(norm_->channels * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(target, narrow, copy);
  }

  const GroupNormSwishGradTilingData* norm_ = nullptr;
  Arguments arguments_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;  // of u * h, then of u: one for each channel
  Phase phase_ = ALL;
  uint64_t weightsFirst_ = 0;  // whose weights are in the row scalars
  uint32_t weightsRows_ = 0;
  uint64_t image_ = 0;  // row where the group of this image starts
  uint32_t group_ = 0;
  uint32_t length_ = 0;
  bool once_ = false;
  float mean_ = 0.0f;
  float rstd_ = 0.0f;
  float average_ = 0.0f;  // sums over the group: u * gamma, u * h * gamma
  float slope_ = 0.0f;
};

extern "C" __global__ __aicore__ void group_norm_swish_grad(GM_ADDR dy, GM_ADDR mean, GM_ADDR rstd, GM_ADDR x,
                                                            GM_ADDR gamma, GM_ADDR beta, GM_ADDR dx, GM_ADDR dgamma,
                                                            GM_ADDR dbeta, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelGroupNormSwishGrad<DTYPE_X> op;
  op.Init({dy, mean, rstd, x, gamma, beta, dx, dgamma, dbeta}, tilingData, &pipe);
  op.Process();
}
