// outputs = sigmoid(input * mulscalar1) * mulscalar2 + addscalar3, in float32; the scalars are one-element tensors.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelMulSigmoidMulAddCustom : public RowPipeline<KernelMulSigmoidMulAddCustom<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR input, GM_ADDR mulscalar1, GM_ADDR mulscalar2, GM_ADDR addscalar3,
                              GM_ADDR outputs, const MulSigmoidMulAddCustomTilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    factor_ = Scalar(mulscalar1);
    scale_ = Scalar(mulscalar2);
    offset_ = Scalar(addscalar3);
    this->template AddInput<T>(input, tiling.rows.columns);
    this->template AddOutput<T>(outputs, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats y = this->Work(1);
    activation::Sigmoid(y, this->template Input<T>(0, this->Work(0), tile), factor_, this->Work(2), count);
    AscendC::Muls(y, y, scale_, count);
    AscendC::Adds(y, y, offset_, count);
    rows::Narrow(this->template OutputSlice<T>(0), y, count);
  }

 private:
  __aicore__ inline float Scalar(GM_ADDR address) {
    AscendC::GlobalTensor<T> scalar;
    scalar.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address), 1);
    if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) {
      return AscendC::ToFloat(scalar.GetValue(0));
    } else {
      return static_cast<float>(scalar.GetValue(0));
    }
  }

  float factor_ = 0.0f;
  float scale_ = 0.0f;
  float offset_ = 0.0f;
};

extern "C" __global__ __aicore__ void mul_sigmoid_mul_add_custom(GM_ADDR input, GM_ADDR mulscalar1, GM_ADDR mulscalar2,
                                                                 GM_ADDR addscalar3, GM_ADDR outputs, GM_ADDR workspace,
                                                                 GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelMulSigmoidMulAddCustom<DTYPE_INPUT> op;
  op.Init(input, mulscalar1, mulscalar2, addscalar3, outputs, tilingData, &pipe);
  op.Process();
}
