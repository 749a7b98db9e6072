// With a and b the halves of x along an axis and s = sigmoid(a): the halves of x_grad are y_grad * b * s * (1 + a * (1
// - s)) and y_grad * a * s, in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelSwiGluGrad : public RowPipeline<KernelSwiGluGrad<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 6;

  __aicore__ inline void Init(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad, const SwiGluGradTilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    const uint64_t columns = tiling.rows.columns;
    this->template AddInput<T>(yGrad, columns);
    this->template AddInput<T>(x, 2 * columns);
    this->template AddInput<T>(x, 2 * columns, columns);
    this->template AddOutput<T>(xGrad, 2 * columns);
    this->template AddOutput<T>(xGrad, 2 * columns, columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats dy = this->template Input<T>(0, this->Work(0), tile);
    const Floats a = this->template Input<T>(1, this->Work(1), tile);
    const Floats b = this->template Input<T>(2, this->Work(2), tile);
    const Floats s = this->Work(3);
    const Floats dySilu = this->Work(4);
    const Floats slope = this->Work(5);
    activation::Sigmoid(s, a, 1.0f, slope, count);
    AscendC::Mul(dySilu, a, s, count);
    // s * (1 + a * (1 - s))
    AscendC::Muls(slope, s, -1.0f, count);
    AscendC::Adds(slope, slope, 1.0f, count);
    AscendC::Mul(slope, slope, dySilu, count);
    AscendC::Add(slope, slope, s, count);
    AscendC::Mul(dySilu, dySilu, dy, count);
    AscendC::Mul(slope, slope, dy, count);
    AscendC::Mul(slope, slope, b, count);
    rows::Narrow(this->template OutputSlice<T>(0), slope, count);
    rows::Narrow(this->template OutputSlice<T>(1), dySilu, count);
  }
};

extern "C" __global__ __aicore__ void swi_glu_grad(GM_ADDR yGrad, GM_ADDR x, GM_ADDR xGrad, GM_ADDR workspace,
                                                   GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelSwiGluGrad<DTYPE_X> op;
  op.Init(yGrad, x, xGrad, tilingData, &pipe);
  op.Process();
}
