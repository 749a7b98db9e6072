// Softmax over rows: exp(x - max) / sum(exp(x - max)), in float32. An operator adds Widen, which leaves x in Work(0),
// and Output.
#pragma once

#include "op_kernel/row_pipeline.h"

template <typename Op>
class RowSoftmax : public RowPipeline<Op> {
 public:
  static constexpr uint32_t PASSES = 2;
  static constexpr uint32_t KEPT = 1;

  __aicore__ inline void Partial(uint32_t pass, const Tile& tile) {
    if (pass == 0) {
      this->MaximumKeeping(this->Scalar(MAXIMUM), this->Work(0), this->Work(1), tile);
    } else {
      this->SumKeeping(this->Scalar(SUM), this->Work(0), this->Work(1), tile);
    }
  }

  __aicore__ inline void Apply(uint32_t pass, const Tile& tile) {
    const Floats x = this->Work(0);
    if (pass == 0) {
      rows::WithScalars(rows::Sub(), x, x, this->Spread(this->Scalar(MAXIMUM), tile), tile);
      AscendC::Exp(x, x, tile.Count());
    } else {
      rows::WithScalars(rows::Div(), x, x, this->Spread(this->Scalar(SUM), tile), tile);
    }
  }

 protected:
  static constexpr uint32_t MAXIMUM = 0;  // row scalars
  static constexpr uint32_t SUM = 1;
};
