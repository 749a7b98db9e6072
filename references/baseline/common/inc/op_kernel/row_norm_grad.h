// Gradients of layer and root mean square norms over the last axes; float32 inside.
//
// With x = factor * x1 + x2, c = (x - mean) * rstd and g = dy * gamma, means taken over a row:
//   dx = rstd * (g - mean(g) - c * mean(g * c)), without mean and mean(g) where the norm is not CENTRED;
//   CORRECTED: c - mean(c) instead of c, which is the same where the given mean is exactly that of x;
//   dgamma = sum of dy * c and dbeta = sum of dy over all rows.
#pragma once

#include "op_kernel/row_pipeline.h"

template <typename Config>
class RowNormGrad : public RowPipeline<RowNormGrad<Config>> {
  using T = typename Config::X;

 public:
  static constexpr uint32_t PASSES = 1;
  static constexpr uint32_t WORKS = 4;  // c, dy, and two to compute with
  static constexpr uint32_t KEPT = 2;
  static constexpr uint32_t COLUMN_SUMS = Config::CENTRED ? 2 : 1;
  using VectorType = typename Config::Weight;

  struct Arguments {
    GM_ADDR dy = nullptr;
    GM_ADDR x1 = nullptr;
    GM_ADDR x2 = nullptr;
    GM_ADDR mean = nullptr;
    GM_ADDR rstd = nullptr;
    GM_ADDR gamma = nullptr;
    GM_ADDR dsum = nullptr;  // added to dx
    GM_ADDR dx = nullptr;
    GM_ADDR scaledDx = nullptr;  // factor * dx
    GM_ADDR dgamma = nullptr;
    GM_ADDR dbeta = nullptr;
  };

  __aicore__ inline void Init(const Arguments& arguments, const NormGradTiling& tiling, GM_ADDR workspace,
                              AscendC::TPipe* pipe) {
    norm_ = &tiling;
    this->Start(tiling.rows, pipe);
    this->SetWorkspace(workspace);
    const uint64_t columns = tiling.rows.columns;
    this->template AddInput<T>(arguments.dy, columns);
    this->template AddInput<T>(arguments.x1, columns);
    if constexpr (Config::ADDS) {
      this->template AddInput<T>(arguments.x2, columns);
    }
    if (tiling.dsum != 0) {
      this->template AddLateInput<T>(arguments.dsum, columns);
    }
    this->template AddVector<VectorType>(arguments.gamma, 1u | this->Writing());
    this->template AddOutput<T>(arguments.dx, columns);
    if constexpr (Config::SCALED) {
      this->template AddOutput<T>(arguments.scaledDx, columns);
    }
    this->AddScalarInput(arguments.rstd);
    this->AddColumnSum(arguments.dgamma);
    if constexpr (Config::CENTRED) {
      this->AddScalarInput(arguments.mean);
      this->AddColumnSum(arguments.dbeta);
    }
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats c = this->Work(0);
    const int32_t count = tile.Count();
    const Floats dy = this->template Input<T>(0, this->Work(1), tile);
    if constexpr (AscendC::IsSameType<T, float>::value) {
      AscendC::Adds(this->Work(1), dy, 0.0f, count);
    }
    Floats x = this->template Input<T>(1, c, tile);
    if constexpr (Config::SCALED) {
      AscendC::Muls(c, x, norm_->factor, count);
      x = c;
    }
    if constexpr (Config::ADDS) {
      AscendC::Add(c, x, this->template Input<T>(2, this->Work(2), tile), count);
      x = c;
    }
    if constexpr (Config::CENTRED) {
      rows::WithScalars(rows::Sub(), c, x, this->Spread(this->ScalarInput(1), tile), tile);
      x = c;
    }
    rows::WithScalars(rows::Mul(), c, x, this->Spread(this->ScalarInput(0), tile), tile);
  }

  __aicore__ inline void Partial(uint32_t, const Tile& tile) {
    const Floats c = this->Work(0);
    const Floats g = this->Work(2);
    const Floats scratch = this->Work(3);
    const int32_t count = tile.Count();
    rows::WithVector(rows::Mul(), g, this->Work(1), this->Vector(0), tile);
    if constexpr (Config::CENTRED) {
      this->SumKeeping(this->Scalar(G), g, scratch, tile);
    }
    if constexpr (Config::CORRECTED) {
      this->SumKeeping(this->Scalar(C), c, scratch, tile);
    }
    AscendC::Mul(g, g, c, count);
    this->Sum(this->Scalar(PRODUCT), g, tile);
  }

  __aicore__ inline void Finish(uint32_t, uint32_t count) {
    for (const uint32_t scalar : {G, C, PRODUCT}) {
      if (scalar == PRODUCT || (Config::CENTRED && scalar == G) || (Config::CORRECTED && scalar == C)) {
        AscendC::Muls(this->Scalar(scalar), this->Scalar(scalar), norm_->reciprocal, static_cast<int32_t>(count));
      }
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    const Floats c = this->Work(0);
    const Floats dy = this->Work(1);
    const Floats dx = this->Work(2);
    const Floats scratch = this->Work(3);
    const int32_t count = tile.Count();
    AscendC::Mul(dx, dy, c, count);
    this->AddToColumns(0, dx, tile);
    if constexpr (Config::CENTRED) {
      this->AddToColumns(1, dy, tile);
    }
    rows::WithVector(rows::Mul(), dx, dy, this->Vector(0), tile);
    if constexpr (Config::CENTRED) {
      rows::WithScalars(rows::Sub(), dx, dx, this->Spread(this->Scalar(G), tile), tile);
    }
    Floats difference = c;
    if constexpr (Config::CORRECTED) {
      rows::WithScalars(rows::Sub(), scratch, c, this->Spread(this->Scalar(C), tile), tile);
      difference = scratch;
    }
    rows::WithScalars(rows::Mul(), scratch, difference, this->Spread(this->Scalar(PRODUCT), tile), tile);
    AscendC::Sub(dx, dx, scratch, count);
    rows::WithScalars(rows::Mul(), dx, dx, this->Spread(this->ScalarInput(0), tile), tile);
    if (norm_->dsum != 0) {
      AscendC::Add(dx, dx, this->template Input<T>(Config::ADDS ? 3 : 2, scratch, tile), count);
    }
    rows::Narrow(this->template OutputSlice<T>(0), dx, count);
    if constexpr (Config::SCALED) {
      AscendC::Muls(dx, dx, norm_->factor, count);
      rows::Narrow(this->template OutputSlice<T>(1), dx, count);
    }
  }

 private:
  static constexpr uint32_t G = 0;  // row scalars
  static constexpr uint32_t C = 1;
  static constexpr uint32_t PRODUCT = 2;

  const NormGradTiling* norm_ = nullptr;
};
