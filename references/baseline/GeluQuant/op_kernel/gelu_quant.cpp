// y = int8(gelu(x) * scale + offset), or by rows, scaled so that the largest magnitude becomes 127: then without
// offset, and out_scale is the inverse of that factor; in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

// DYNAMIC: rows are scaled so that their largest magnitude becomes 127.
template <typename T, bool DYNAMIC>
class KernelGeluQuant : public RowPipeline<KernelGeluQuant<T, DYNAMIC>> {
 public:
  static constexpr uint32_t PASSES = DYNAMIC ? 1 : 0;
  static constexpr uint32_t WORKS = 5;
  static constexpr uint32_t KEPT = 1;
  using VectorType = T;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR scale, GM_ADDR offset, GM_ADDR y, GM_ADDR outScale,
                              const GeluQuantTilingData& tiling, AscendC::TPipe* pipe) {
    tilingData_ = &tiling;
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(x, tiling.rows.columns);
    if (tiling.scales == ONE) {
      scale_ = rows::ScalarOf<T>(scale);
    } else if (tiling.scales == MANY) {
      this->template AddVector<T>(scale, this->Widening());
    }
    if (tiling.offsets == ONE) {
      offset_ = rows::ScalarOf<T>(offset);
    } else if (tiling.offsets == MANY) {
      this->template AddVector<T>(offset, this->Widening());
    }
    this->template AddOutput<int8_t>(y, tiling.rows.columns);
    if constexpr (DYNAMIC) {
      this->AddScalarOutput(outScale);
    }
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats y = this->Work(0);
    const int32_t count = tile.Count();
    const Floats x = this->template Input<T>(0, this->Work(1), tile);
    if (tilingData_->exact != 0) {
      const Floats scratch[activation::GELU_SCRATCH] = {this->Work(2), this->Work(3), this->Work(4)};
      activation::GeluErf(y, x, scratch, count);
    } else {
      activation::GeluTanh(y, x, count);
    }
    if (tilingData_->scales == ONE) {
      AscendC::Muls(y, y, scale_, count);
    } else if (tilingData_->scales == MANY) {
      rows::WithVector(rows::Mul(), y, y, this->Vector(0), tile);
    }
    if (tilingData_->offsets == ONE) {
      AscendC::Adds(y, y, offset_, count);
    } else if (tilingData_->offsets == MANY) {
      rows::WithVector(rows::Add(), y, y, this->Vector(tilingData_->scales == MANY ? 1 : 0), tile);
    }
  }

  __aicore__ inline void Partial(uint32_t, const Tile& tile) {
    const Floats magnitude = this->Work(1);
    AscendC::Abs(magnitude, this->Work(0), tile.Count());
    this->Maximum(this->Scalar(LARGEST), magnitude, tile);
  }

  __aicore__ inline void Finish(uint32_t, uint32_t rows) {
    const Floats largest = this->Scalar(LARGEST);
    const Floats factor = this->Scalar(FACTOR);
    const int32_t count = static_cast<int32_t>(rows);
    AscendC::Adds(largest, largest, 1e-6f, count);
    AscendC::Duplicate(factor, 127.0f, count);
    AscendC::Div(this->ScalarOutput(0), largest, factor, count);
    AscendC::Div(factor, factor, largest, count);
  }

  __aicore__ inline void Apply(uint32_t, const Tile& tile) {
    rows::WithScalars(rows::Mul(), this->Work(0), this->Work(0), this->Spread(this->Scalar(FACTOR), tile), tile);
  }

  __aicore__ inline void Output(const Tile& tile) {
    rows::Quantise(this->template OutputSlice<int8_t>(0), this->Work(0), tile.Count());
  }

 private:
  static constexpr uint32_t ONE = 1;  // number of scales and offsets
  static constexpr uint32_t MANY = 2;
  static constexpr uint32_t LARGEST = 0;  // row scalars
  static constexpr uint32_t FACTOR = 1;

  const GeluQuantTilingData* tilingData_ = nullptr;
  float scale_ = 1.0f;
  float offset_ = 0.0f;
};

extern "C" __global__ __aicore__ void gelu_quant(GM_ADDR x, GM_ADDR inputScale, GM_ADDR inputOffset, GM_ADDR y,
                                                 GM_ADDR outScale, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    KernelGeluQuant<DTYPE_X, false> op;
    op.Init(x, inputScale, inputOffset, y, outScale, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    KernelGeluQuant<DTYPE_X, true> op;
    op.Init(x, inputScale, inputOffset, y, outScale, tilingData, &pipe);
    op.Process();
  }
}
