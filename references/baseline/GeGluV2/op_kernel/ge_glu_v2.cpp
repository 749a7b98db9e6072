// y = gelu(a) * b with a and b the halves of x along an axis, and gelu(a) itself; in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelGeGluV2 : public RowPipeline<KernelGeGluV2<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 6;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR gelu, const GeGluV2TilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    const uint64_t columns = tiling.rows.columns;
    exact_ = tiling.exact != 0;
    const uint64_t second = tiling.left != 0 ? columns : 0;
    this->template AddInput<T>(x, 2 * columns, columns - second);
    this->template AddInput<T>(x, 2 * columns, second);
    this->template AddOutput<T>(y, columns);
    this->template AddOutput<T>(gelu, columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats a = this->template Input<T>(0, this->Work(0), tile);
    const Floats b = this->template Input<T>(1, this->Work(1), tile);
    const Floats gelu = this->Work(2);
    if (exact_) {
      const Floats scratch[activation::GELU_SCRATCH] = {this->Work(3), this->Work(4), this->Work(5)};
      activation::GeluErf(gelu, a, scratch, count);
    } else {
      activation::GeluTanh(gelu, a, count);
    }
    rows::Narrow(this->template OutputSlice<T>(1), gelu, count);
    AscendC::Mul(gelu, gelu, b, count);
    rows::Narrow(this->template OutputSlice<T>(0), gelu, count);
  }

 private:
  bool exact_ = true;
};

extern "C" __global__ __aicore__ void ge_glu_v2(GM_ADDR x, GM_ADDR y, GM_ADDR gelu, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelGeGluV2<DTYPE_X> op;
  op.Init(x, y, gelu, tilingData, &pipe);
  op.Process();
}
