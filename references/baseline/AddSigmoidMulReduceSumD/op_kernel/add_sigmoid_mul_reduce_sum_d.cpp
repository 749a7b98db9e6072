// out = sum of sigmoid((x + bias) * factor) * weight * other over the second of three axes; float32 inside, rounded
// once.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

class KernelAddSigmoidMulReduceSumD : public RowPipeline<KernelAddSigmoidMulReduceSumD> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;
  static constexpr bool ROW_SCALARS = true;
  using VectorType = half;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR bias, GM_ADDR factor, GM_ADDR weight, GM_ADDR other, GM_ADDR out,
                              const AddSigmoidMulReduceSumDTilingData& tiling, AscendC::TPipe* pipe) {
    sum_ = &tiling;
    this->Start(tiling.rows, pipe);
    factor_ = rows::ScalarOf<half>(factor);
    out_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(out));
    this->AddInput<half>(x, tiling.rows.columns);
    this->AddInput<half>(other, tiling.rows.columns);
    this->AddVector<half>(bias, 1);
    this->AddScalarInput<half>(weight);
    pipe->InitBuffer(sumBuffer_, static_cast<uint32_t>((tiling.rows.columns + UNIT - 1) / UNIT * UNIT * sizeof(float)));
  }

  __aicore__ inline void Process() {
    this->Allocate();
    const int32_t columns = static_cast<int32_t>(sum_->rows.columns);
    const uint64_t tiles = this->tiling_->mode == this->WHOLE ? 1 : this->TilesPerRow();
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(columns * sizeof(half)), 0, 0, 0};
    const Floats sums = sumBuffer_.Get<float>();
    const AscendC::LocalTensor<half> narrow = sumBuffer_.Get<half>();
    for (uint64_t sum = AscendC::GetBlockIdx(); sum < sum_->sums; sum += AscendC::GetBlockNum()) {
      AscendC::Duplicate(sums, 0.0f, columns);
      this->first_ = sum * sum_->terms * tiles;
      this->count_ = sum_->terms * tiles;
      this->Run();
      AscendC::Cast(narrow, sums, AscendC::RoundMode::CAST_RINT, columns);
      const event_t computed = static_cast<event_t>(this->pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
      AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(computed);
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(computed);
      AscendC::DataCopyPad(out_[sum * sum_->rows.columns], narrow, copy);
      const event_t stored = static_cast<event_t>(this->pipe_->FetchEventID(AscendC::HardEvent::MTE3_V));
      AscendC::SetFlag<AscendC::HardEvent::MTE3_V>(stored);
      AscendC::WaitFlag<AscendC::HardEvent::MTE3_V>(stored);
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats x = this->Work(0);
    const Floats y = this->Work(1);
    const Floats weights = this->Scalar(0);
    AscendC::Cast(x, this->Raw(0).ReinterpretCast<half>(), AscendC::RoundMode::CAST_NONE, count);
    rows::WithVector(rows::Add(), x, x, this->Vector(0), tile);
    activation::Sigmoid(y, x, factor_, this->Work(2), count);
    AscendC::Cast(weights, this->ScalarInputSlice<half>(0), AscendC::RoundMode::CAST_NONE,
                  static_cast<int32_t>(tile.rows));
    rows::WithScalars(rows::Mul(), y, y, this->Spread(weights, tile), tile);
    AscendC::Mul(y, y, this->Input<half>(1, x, tile), count);
    rows::AddRows(sumBuffer_.Get<float>()[static_cast<uint32_t>(tile.column)], y, tile);
  }

 private:
  static constexpr uint64_t UNIT = 64;

  const AddSigmoidMulReduceSumDTilingData* sum_ = nullptr;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
  AscendC::GlobalTensor<half> out_;
  float factor_ = 0.0f;
};

extern "C" __global__ __aicore__ void add_sigmoid_mul_reduce_sum_d(GM_ADDR add0Input0, GM_ADDR add0Input1,
                                                                   GM_ADDR mul0Input1, GM_ADDR mult1Input1,
                                                                   GM_ADDR mult2Input1, GM_ADDR out, GM_ADDR workspace,
                                                                   GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelAddSigmoidMulReduceSumD op;
  op.Init(add0Input0, add0Input1, mul0Input1, mult1Input1, mult2Input1, out, tilingData, &pipe);
  op.Process();
}
