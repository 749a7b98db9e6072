// Integers are made floats: (x + bias) * weight_scale * activation_scale. With a and b the halves of the last axis, u =
// a * sigmoid(a) * b, or with their roles exchanged; y = int8(u / quant_scale + quant_offset), or by rows u *
// quant_scale scaled so that the largest magnitude becomes 127, and scale is the inverse of that factor. Scales may be
// those of groups of rows; rows behind the last group give 0.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename X, typename BIAS, typename QUANT, typename INDEX>
class KernelDequantSwigluQuant : public RowPipeline<KernelDequantSwigluQuant<X, BIAS, QUANT, INDEX>> {
 public:
  static constexpr uint32_t PASSES = 1;
  static constexpr uint32_t WORKS = 3;
  static constexpr uint32_t KEPT = 1;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR weightScale, GM_ADDR activationScale, GM_ADDR bias, GM_ADDR quantScale,
                              GM_ADDR quantOffset, GM_ADDR groupIndex, GM_ADDR y, GM_ADDR scale,
                              const DequantSwigluQuantTilingData& tiling, AscendC::TPipe* pipe) {
    quant_ = &tiling;
    this->Start(tiling.rows, pipe);
    const uint64_t columns = tiling.rows.columns;
    groupIndex_.SetGlobalBuffer(reinterpret_cast<__gm__ INDEX*>(groupIndex), tiling.groups);
    for (uint32_t half = 0; half < HALVES; ++half) {
      this->template AddInput<X>(x, HALVES * columns, half * columns);
    }
    // Vectors of a group lie one behind the other; all groups share the bias.
    for (uint32_t half = 0; half < HALVES && tiling.weighted != 0; ++half) {
      weights_ = vectorCount_ - half;
      this->template AddVector<float>(weightScale, this->Widening(), HALVES * columns, half * columns);
      ++vectorCount_;
    }
    for (uint32_t half = 0; half < HALVES && tiling.biased != 0; ++half) {
      biases_ = vectorCount_ - half;
      this->template AddVector<BIAS>(bias, this->Widening(), 0, half * columns);
      ++vectorCount_;
    }
    quantScale_ = vectorCount_++;
    this->template AddVector<QUANT>(quantScale, this->Widening(), columns);
    if (tiling.shifted != 0) {
      this->template AddVector<float>(quantOffset, this->Widening(), columns);
    }
    this->template AddOutput<int8_t>(y, columns);
    if (tiling.activated != 0) {
      this->AddScalarInput(activationScale);
    }
    if (tiling.dynamic != 0) {
      this->AddScalarOutput(scale);
    }
  }

  __aicore__ inline void Process() {
    this->Allocate();
    if (quant_->groups == 0) {
      this->Run();
      return;
    }
    // The rows of this core, group by group; what is behind the last group is 0.
    const uint64_t first = this->first_;
    const uint64_t end = first + this->count_;
    uint64_t start = 0;
    for (uint32_t group = 0; group < quant_->groups; ++group) {
      const uint64_t next = start + static_cast<uint64_t>(groupIndex_.GetValue(group));
      this->vectorRow_ = group;
      RunBetween(start, next, first, end);
      start = next;
    }
    zero_ = true;
    RunBetween(start, end, first, end);
  }

  __aicore__ inline Floats WidenVector(uint32_t vector, const AscendC::LocalTensor<uint8_t>& raw, const Floats& scratch,
                                       int32_t count) {
    if (vector == quantScale_) {
      return rows::Widened<QUANT>(raw, scratch, count);
    }
    if (quant_->biased != 0 && vector >= biases_ && vector < biases_ + HALVES) {
      return rows::Widened<BIAS>(raw, scratch, count);
    }
    return rows::Widened<float>(raw, scratch, count);
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const int32_t count = tile.Count();
    for (uint32_t half = 0; half < HALVES; ++half) {
      const Floats x = this->template Input<X>(half, this->Work(half), tile);
      if (quant_->biased != 0) {
        rows::WithVector(rows::Add(), x, x, this->Vector(biases_ + half), tile);
      }
      if (quant_->weighted != 0) {
        rows::WithVector(rows::Mul(), x, x, this->Vector(weights_ + half), tile);
      }
      if (quant_->activated != 0) {
        rows::WithScalars(rows::Mul(), x, x, this->Spread(this->ScalarInput(0), tile), tile);
      }
    }
    const Floats y = this->Work(0);
    const Floats silu = this->Work(2);
    activation::Swish(silu, this->Work(quant_->left != 0 ? 0 : 1), 1.0f, count);
    AscendC::Mul(y, silu, this->Work(quant_->left != 0 ? 1 : 0), count);
    if (quant_->dynamic != 0) {
      rows::WithVector(rows::Mul(), y, y, this->Vector(quantScale_), tile);
    } else {
      rows::WithVector(rows::Div(), y, y, this->Vector(quantScale_), tile);
      if (quant_->shifted != 0) {
        rows::WithVector(rows::Add(), y, y, this->Vector(quantScale_ + 1), tile);
      }
    }
    if (zero_) {
      AscendC::Duplicate(y, 0.0f, count);
    }
  }

  __aicore__ inline void Partial(uint32_t, const Tile& tile) {
    if (quant_->dynamic != 0) {
      const Floats magnitude = this->Work(1);
      AscendC::Abs(magnitude, this->Work(0), tile.Count());
      this->Maximum(this->Scalar(LARGEST), magnitude, tile);
    }
  }

  __aicore__ inline void Finish(uint32_t, uint32_t rows) {
    if (quant_->dynamic == 0) {
      return;
    }
    constexpr float SMALLEST = 1e-36f;  // the quotient stays finite
    const Floats largest = this->Scalar(LARGEST);
    const Floats factor = this->Scalar(FACTOR);
    const int32_t count = static_cast<int32_t>(rows);
    AscendC::Duplicate(factor, 127.0f, count);
    AscendC::Div(this->ScalarOutput(0), largest, factor, count);
    AscendC::Maxs(largest, largest, SMALLEST, count);
    AscendC::Div(factor, factor, largest, count);
  }

  __aicore__ inline void Apply(uint32_t, const Tile& tile) {
    if (quant_->dynamic != 0) {
      rows::WithScalars(rows::Mul(), this->Work(0), this->Work(0), this->Spread(this->Scalar(FACTOR), tile), tile);
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    rows::Quantise(this->template OutputSlice<int8_t>(0), this->Work(0), tile.Count());
  }

 private:
  static constexpr uint32_t HALVES = 2;
  static constexpr uint32_t LARGEST = 0;  // row scalars
  static constexpr uint32_t FACTOR = 1;

  // Those of the rows `start` .. `next` that belong to this core.
  __aicore__ inline void RunBetween(uint64_t start, uint64_t next, uint64_t first, uint64_t end) {
    const uint64_t from = start < first ? first : start;
    const uint64_t to = next < end ? next : end;
    if (from < to) {
      this->first_ = from;
      this->count_ = to - from;
      this->Run();
    }
  }

  const DequantSwigluQuantTilingData* quant_ = nullptr;
  AscendC::GlobalTensor<INDEX> groupIndex_;
  uint32_t vectorCount_ = 0;
  uint32_t weights_ = 0;  // vectors: the first of two
  uint32_t biases_ = 0;
  uint32_t quantScale_ = 0;
  bool zero_ = false;
};

extern "C" __global__ __aicore__ void dequant_swiglu_quant(GM_ADDR x, GM_ADDR weightScale, GM_ADDR activationScale,
                                                           GM_ADDR bias, GM_ADDR quantScale, GM_ADDR quantOffset,
                                                           GM_ADDR groupIndex, GM_ADDR y, GM_ADDR scale,
                                                           GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelDequantSwigluQuant<DTYPE_X, DTYPE_BIAS, DTYPE_QUANT_SCALE, DTYPE_GROUP_INDEX> op;
  op.Init(x, weightScale, activationScale, bias, quantScale, quantOffset, groupIndex, y, scale, tilingData, &pipe);
  op.Process();
}
