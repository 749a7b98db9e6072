// y = x * exp(0.851 * (x - |x|)) / (1 + exp(-1.702 * |x|)), in float32: no exponential overflows.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelFastGelu : public RowPipeline<KernelFastGelu<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const FastGeluTilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(x, tiling.rows.columns);
    this->template AddOutput<T>(y, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats x = this->template Input<T>(0, this->Work(0), tile);
    const Floats y = this->Work(1);
    const Floats other = this->Work(2);
    AscendC::Abs(other, x, count);
    AscendC::Sub(y, x, other, count);
    AscendC::Muls(y, y, 0.851f, count);
    AscendC::Exp(y, y, count);
    AscendC::Mul(y, y, x, count);
    AscendC::Muls(other, other, -1.702f, count);
    AscendC::Exp(other, other, count);
    AscendC::Adds(other, other, 1.0f, count);
    AscendC::Div(y, y, other, count);
    rows::Narrow(this->template OutputSlice<T>(0), y, count);
  }
};

extern "C" __global__ __aicore__ void fast_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelFastGelu<DTYPE_X> op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}
