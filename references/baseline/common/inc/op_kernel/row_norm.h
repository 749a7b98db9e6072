// Layer and root mean square norms over the last axes, of a tensor or of a sum of tensors; float32 inside.
//
//   x = factor * x1 + x2 + bias, y = (x - mean(x)) * rstd * gamma + beta,
//   rstd = 1 / sqrt(mean((x - mean)^2) + epsilon),
//
// without the mean where the norm is not CENTRED. What an operator has of this is said by its Config.
#pragma once

#include "op_kernel/row_pipeline.h"

// What most operators do not do; a Config derives from this.
struct NormConfig {
  using Scale = float;
  using Zero = float;
  static constexpr bool MULTIPLIES = false;  // x = factor * x1 * x2; factor and epsilon are tensors
  static constexpr bool CASTS = false;       // y is float32, and a second output has it in the type of x1
  static constexpr bool QUANTISES = false;   // outputs are int8 of y / scales + zeros, for one or two pairs of them
};

template <typename Config>
class RowNorm : public RowPipeline<RowNorm<Config>> {
  using X1 = typename Config::X1;
  using X2 = typename Config::X2;
  using Summed = typename Config::Sum;  // also of the bias
  using Y = typename Config::Y;

 public:
  static constexpr uint32_t PASSES = Config::CENTRED ? 2 : 1;
  static constexpr uint32_t WORKS = 2;
  static constexpr uint32_t KEPT = 1;
  static constexpr uint32_t NONE = 0;
  static constexpr uint32_t ROWS = 1;    // a bias of the shape of x
  static constexpr uint32_t VECTOR = 2;  // a bias of the shape of gamma
  using VectorType = typename Config::Weight;

  struct Arguments {
    GM_ADDR x1 = nullptr;
    GM_ADDR x2 = nullptr;
    GM_ADDR bias = nullptr;
    GM_ADDR gamma = nullptr;
    GM_ADDR beta = nullptr;
    GM_ADDR y = nullptr;
    GM_ADDR mean = nullptr;
    GM_ADDR rstd = nullptr;
    GM_ADDR sum = nullptr;  // where x goes
    GM_ADDR cast = nullptr;
    GM_ADDR factor = nullptr;
    GM_ADDR epsilon = nullptr;
    GM_ADDR quantised[2] = {nullptr, nullptr};
    GM_ADDR scales[2] = {nullptr, nullptr};
    GM_ADDR zeros[2] = {nullptr, nullptr};
  };

  __aicore__ inline void Init(const Arguments& arguments, const NormTiling& tiling, AscendC::TPipe* pipe) {
    norm_ = &tiling;
    this->Start(tiling.rows, pipe);
    factor_ = tiling.factor;
    epsilon_ = tiling.epsilon;
    if constexpr (Config::MULTIPLIES) {
      factor_ = rows::ScalarOf<X1>(arguments.factor);
      epsilon_ = rows::ScalarOf<X1>(arguments.epsilon);
    }
    const uint64_t columns = tiling.rows.columns;
    this->template AddInput<X1>(arguments.x1, columns);
    if constexpr (Config::ADDS || Config::MULTIPLIES) {
      this->template AddInput<X2>(arguments.x2, columns);
    }
    if (tiling.bias == ROWS) {
      this->template AddInput<Summed>(arguments.bias, columns);
    }
    if (tiling.gamma != 0) {
      gamma_ = vectors_++;
      this->template AddVector<VectorType>(arguments.gamma, this->Writing());
    }
    if (tiling.beta != 0) {
      beta_ = vectors_++;
      this->template AddVector<VectorType>(arguments.beta, this->Writing());
    }
    if (tiling.bias == VECTOR) {
      bias_ = vectors_++;
      this->template AddVector<Summed>(arguments.bias, this->Widening());
    }
    if constexpr (Config::QUANTISES) {
      for (uint32_t i = 0; i < QUANTISATIONS; ++i) {
        if (Scaled(i)) {
          this->template AddOutput<int8_t>(arguments.quantised[i], columns);
          scales_[i] = vectors_++;
          this->template AddVector<typename Config::Scale>(arguments.scales[i], this->Writing());
        }
        if (Shifted(i)) {
          zeros_[i] = vectors_++;
          this->template AddVector<typename Config::Zero>(arguments.zeros[i], this->Writing());
        }
      }
    } else {
      this->template AddOutput<Y>(arguments.y, columns);
    }
    if constexpr (Config::CASTS) {
      this->template AddOutput<X1>(arguments.cast, columns);
    }
    if (tiling.sum != 0) {
      this->template AddEarlyOutput<Summed>(arguments.sum, columns);
    }
    if constexpr (Config::STATISTICS && Config::CENTRED) {
      this->AddScalarOutput(arguments.mean);
    }
    if constexpr (Config::STATISTICS) {
      this->AddScalarOutput(arguments.rstd);
    }
  }

  __aicore__ inline Floats WidenVector(uint32_t vector, const AscendC::LocalTensor<uint8_t>& raw, const Floats& scratch,
                                       int32_t count) {
    if (norm_->bias == VECTOR && vector == bias_) {
      return rows::Widened<Summed>(raw, scratch, count);
    }
    if constexpr (Config::QUANTISES) {
      for (uint32_t i = 0; i < QUANTISATIONS; ++i) {
        if (Scaled(i) && vector == scales_[i]) {
          return rows::Widened<typename Config::Scale>(raw, scratch, count);
        }
        if (Shifted(i) && vector == zeros_[i]) {
          return rows::Widened<typename Config::Zero>(raw, scratch, count);
        }
      }
    }
    return rows::Widened<VectorType>(raw, scratch, count);
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats x = this->Work(0);
    const int32_t count = tile.Count();
    const Floats first = this->template Input<X1>(0, x, tile);
    if constexpr (Config::SCALED) {
      AscendC::Muls(x, first, factor_, count);
    }
    if constexpr (Config::MULTIPLIES) {
      AscendC::Mul(x, x, this->template Input<X2>(1, this->Work(1), tile), count);
    } else if constexpr (Config::ADDS) {
      const Floats second = this->template Input<X2>(1, this->Work(1), tile);
      AscendC::Add(x, Config::SCALED ? x : first, second, count);
      if (norm_->bias == ROWS) {
        const Floats third = this->template Input<Summed>(2, this->Work(1), tile);
        AscendC::Add(x, x, third, count);
      } else if (norm_->bias == VECTOR) {
        rows::WithVector(rows::Add(), x, x, this->Vector(bias_), tile);
      }
    } else if constexpr (AscendC::IsSameType<X1, float>::value) {
      AscendC::Adds(x, first, 0.0f, count);
    }
  }

  __aicore__ inline void Early(const Tile& tile) {
    rows::Narrow(this->template EarlySlice<Summed>(0), this->Work(0), tile.Count());
  }

  __aicore__ inline void Partial(uint32_t pass, const Tile& tile) {
    const Floats x = this->Work(0);
    const Floats scratch = this->Work(1);
    if (Averages(pass)) {
      this->SumKeeping(this->Scalar(0), x, scratch, tile);
    } else {
      AscendC::Mul(scratch, x, x, tile.Count());
      this->Sum(this->Scalar(0), scratch, tile);
    }
  }

  __aicore__ inline void Finish(uint32_t pass, uint32_t count) {
    const Floats sum = this->Scalar(0);
    if (Averages(pass)) {
      AscendC::Muls(Mean(), sum, norm_->reciprocal, static_cast<int32_t>(count));
      return;
    }
    const Floats ones = this->Scalar(1);
    AscendC::Muls(sum, sum, norm_->reciprocal, static_cast<int32_t>(count));
    AscendC::Adds(sum, sum, epsilon_, static_cast<int32_t>(count));
    AscendC::Sqrt(sum, sum, static_cast<int32_t>(count));
    AscendC::Duplicate(ones, 1.0f, static_cast<int32_t>(count));
    AscendC::Div(Rstd(), ones, sum, static_cast<int32_t>(count));  // Rsqrt is only an approximation
  }

  __aicore__ inline void Apply(uint32_t pass, const Tile& tile) {
    const Floats x = this->Work(0);
    if (Averages(pass)) {
      rows::WithScalars(rows::Sub(), x, x, this->Spread(Mean(), tile), tile);
    } else {
      rows::WithScalars(rows::Mul(), x, x, this->Spread(Rstd(), tile), tile);
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    Floats x = this->Work(0);
    if (norm_->gamma != 0) {
      rows::WithVector(rows::Mul(), Target(norm_->beta == 0), x, this->Vector(gamma_), tile);
      x = Target(norm_->beta == 0);
    }
    if (norm_->beta != 0) {
      rows::WithVector(rows::Add(), Target(true), x, this->Vector(beta_), tile);
    }
    if constexpr (Config::QUANTISES) {
      Quantise(x, tile);
      return;
    }
    const bool written = AscendC::IsSameType<Y, float>::value && (norm_->gamma != 0 || norm_->beta != 0);
    if (!written) {
      rows::Narrow(this->template OutputSlice<Y>(0), this->Work(0), tile.Count());
    }
    if constexpr (Config::CASTS) {
      rows::Narrow(this->template OutputSlice<X1>(1), Target(true), tile.Count());
    }
  }

 private:
  __aicore__ inline bool Averages(uint32_t pass) { return Config::CENTRED && pass == 0; }
  __aicore__ inline Floats Mean() { return Config::STATISTICS ? this->ScalarOutput(0) : this->Scalar(2); }
  __aicore__ inline Floats Rstd() {
    return Config::STATISTICS ? this->ScalarOutput(Config::CENTRED ? 1 : 0) : this->Scalar(3);
  }
  static constexpr uint32_t QUANTISATIONS = 2;
  __aicore__ inline bool Scaled(uint32_t i) { return (norm_->scales >> i & 1) != 0; }
  __aicore__ inline bool Shifted(uint32_t i) { return (norm_->zeros >> i & 1) != 0; }

  __aicore__ inline void Quantise(const Floats& y, const Tile& tile) {
    const Floats scaled = this->Work(1);
    uint32_t output = 0;
    for (uint32_t i = 0; i < QUANTISATIONS; ++i) {
      if (!Scaled(i)) {
        continue;
      }
      if (norm_->divides != 0) {
        rows::WithVector(rows::Div(), scaled, y, this->Vector(scales_[i]), tile);
      } else {
        rows::WithVector(rows::Mul(), scaled, y, this->Vector(scales_[i]), tile);
      }
      if (Shifted(i)) {
        rows::WithVector(rows::Add(), scaled, scaled, this->Vector(zeros_[i]), tile);
      }
      rows::Quantise(this->template OutputSlice<int8_t>(output++), scaled, tile.Count());
    }
  }

  // Where a step of the result goes: the last one of float32 to the output itself.
  __aicore__ inline Floats Target(bool last) {
    if constexpr (AscendC::IsSameType<Y, float>::value && !Config::QUANTISES) {
      return last ? this->template OutputSlice<float>(0) : this->Work(0);
    } else {
      return this->Work(0);
    }
  }

  const NormTiling* norm_ = nullptr;
  float factor_ = 1.0f;
  float epsilon_ = 0.0f;
  uint32_t vectors_ = 0;
  uint32_t gamma_ = 0;
  uint32_t beta_ = 0;
  uint32_t bias_ = 0;
  uint32_t scales_[QUANTISATIONS] = {0, 0};
  uint32_t zeros_[QUANTISATIONS] = {0, 0};
};
