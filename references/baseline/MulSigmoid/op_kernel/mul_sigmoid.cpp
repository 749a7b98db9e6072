// s = sigmoid(x1 * t1), out = (s < t2 ? s : 2 * s) * x2 * t3 where all rows of x1 share x2; in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelMulSigmoid : public RowPipeline<KernelMulSigmoid<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR out, const MulSigmoidTilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    tilingData_ = &tiling;
    this->template AddInput<T>(x1, tiling.rows.columns);
    this->template AddVector<T>(x2, 1);
    this->template AddOutput<T>(out, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats s = this->Work(1);
    const Floats doubled = this->Work(0);
    const AscendC::LocalTensor<uint8_t> below = this->Work(2).template ReinterpretCast<uint8_t>();
    activation::Sigmoid(s, this->template Input<T>(0, doubled, tile), tilingData_->t1, this->Work(2), count);
    const uint32_t whole = rows::WholeRepeats(static_cast<uint32_t>(count));
    AscendC::Muls(doubled, s, 2.0f, count);
    AscendC::CompareScalar(below, s, tilingData_->t2, AscendC::CMPMODE::LT, whole);
    AscendC::Select(s, below, s, doubled, AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, whole);
    AscendC::Muls(s, s, tilingData_->t3, count);
    rows::WithVector(rows::Mul(), s, s, this->Vector(0), tile);
    rows::Narrow(this->template OutputSlice<T>(0), s, count);
  }

  using VectorType = T;

 private:
  const MulSigmoidTilingData* tilingData_ = nullptr;
};

extern "C" __global__ __aicore__ void mul_sigmoid(GM_ADDR x1, GM_ADDR x2, GM_ADDR out, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelMulSigmoid<half> op;
  op.Init(x1, x2, out, tilingData, &pipe);
  op.Process();
}
