// y = a * sigmoid(a) * b with a and b the halves of x along an axis, in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelSwiGlu : public RowPipeline<KernelSwiGlu<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SwiGluTilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    const uint64_t columns = tiling.rows.columns;
    this->template AddInput<T>(x, 2 * columns);
    this->template AddInput<T>(x, 2 * columns, columns);
    this->template AddOutput<T>(y, columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats y = this->Work(1);
    activation::Swish(y, this->template Input<T>(0, this->Work(0), tile), 1.0f, count);
    AscendC::Mul(y, y, this->template Input<T>(1, this->Work(2), tile), count);
    rows::Narrow(this->template OutputSlice<T>(0), y, count);
  }
};

extern "C" __global__ __aicore__ void swi_glu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelSwiGlu<DTYPE_X> op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}
