// z = dy * the derivative of the tanh form of GELU, in float32; y, the result of the forward operator, is not needed.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelGeluGrad : public RowPipeline<KernelGeluGrad<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 5;

  __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR z, const GeluGradTilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(dy, tiling.rows.columns);
    this->template AddInput<T>(x, tiling.rows.columns);
    this->template AddOutput<T>(z, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats x = this->template Input<T>(1, this->Work(0), tile);
    const Floats z = this->Work(1);
    const Floats scratch[2] = {this->Work(2), this->Work(3)};
    activation::GeluTanhSlope(z, x, scratch, count);
    AscendC::Mul(z, z, this->template Input<T>(0, this->Work(4), tile), count);
    rows::Narrow(this->template OutputSlice<T>(0), z, count);
  }
};

extern "C" __global__ __aicore__ void gelu_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelGeluGrad<DTYPE_X> op;
  op.Init(dy, x, z, tilingData, &pipe);
  op.Process();
}
