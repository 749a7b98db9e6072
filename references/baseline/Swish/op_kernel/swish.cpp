// y = x * sigmoid(scale * x), in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelSwish : public RowPipeline<KernelSwish<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 2;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const SwishTilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    scale_ = tiling.scale;
    this->template AddInput<T>(x, tiling.rows.columns);
    this->template AddOutput<T>(y, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats y = this->Work(1);
    activation::Swish(y, this->template Input<T>(0, this->Work(0), tile), scale_, count);
    rows::Narrow(this->template OutputSlice<T>(0), y, count);
  }

 private:
  float scale_ = 1.0f;
};

extern "C" __global__ __aicore__ void swish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelSwish<DTYPE_X> op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}
