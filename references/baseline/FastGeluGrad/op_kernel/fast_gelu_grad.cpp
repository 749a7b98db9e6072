// With e = exp(-1.702 * |x|) and p = exp(1.702 * (x - |x|)): z = dy * (e + 1.702 * x * e + p) / (1 + e)^2, in float32.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelFastGeluGrad : public RowPipeline<KernelFastGeluGrad<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 4;

  __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR z, const FastGeluGradTilingData& tiling,
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
    const Floats e = this->Work(1);
    const Floats p = this->Work(2);
    const Floats z = this->Work(3);
    AscendC::Abs(e, x, count);
    AscendC::Sub(p, x, e, count);
    AscendC::Muls(p, p, 1.702f, count);
    AscendC::Exp(p, p, count);
    AscendC::Muls(e, e, -1.702f, count);
    AscendC::Exp(e, e, count);
    AscendC::Muls(z, x, 1.702f, count);
    AscendC::Adds(z, z, 1.0f, count);
    AscendC::Mul(z, z, e, count);
    AscendC::Add(z, z, p, count);
    AscendC::Adds(e, e, 1.0f, count);
    AscendC::Div(z, z, e, count);
    AscendC::Div(z, z, e, count);
    AscendC::Mul(z, z, this->template Input<T>(0, p, tile), count);
    rows::Narrow(this->template OutputSlice<T>(0), z, count);
  }
};

extern "C" __global__ __aicore__ void fast_gelu_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR z, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelFastGeluGrad<DTYPE_X> op;
  op.Init(dy, x, z, tilingData, &pipe);
  op.Process();
}
