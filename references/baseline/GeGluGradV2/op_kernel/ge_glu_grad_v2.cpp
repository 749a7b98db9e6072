// With a and b the halves of x along an axis: those of dx are dy * b * gelu'(a) and dy * gelu(a), in float32.
#include "kernel_operator.h"
#include "op_kernel/activation_math.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelGeGluGradV2 : public RowPipeline<KernelGeGluGradV2<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 7;

  __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR gelu, GM_ADDR dx, const GeGluGradV2TilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    const uint64_t columns = tiling.rows.columns;
    exact_ = tiling.exact != 0;
    const uint64_t second = tiling.left != 0 ? columns : 0;
    this->template AddInput<T>(dy, columns);
    this->template AddInput<T>(x, 2 * columns, columns - second);
    this->template AddInput<T>(x, 2 * columns, second);
    this->template AddInput<T>(gelu, columns);
    this->template AddOutput<T>(dx, 2 * columns, columns - second);
    this->template AddOutput<T>(dx, 2 * columns, second);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats dy = this->template Input<T>(0, this->Work(0), tile);
    const Floats a = this->template Input<T>(1, this->Work(1), tile);
    const Floats slope = this->Work(2);
    const Floats other = this->Work(3);
    const Floats scratch[activation::GELU_SCRATCH] = {this->Work(4), this->Work(5), this->Work(6)};
    if (exact_) {
      activation::GeluErfSlope(slope, a, scratch, count);
    } else {
      activation::GeluTanhSlope(slope, a, scratch, count);
    }
    AscendC::Mul(slope, slope, dy, count);
    AscendC::Mul(slope, slope, this->template Input<T>(2, other, tile), count);
    rows::Narrow(this->template OutputSlice<T>(0), slope, count);
    AscendC::Mul(slope, dy, this->template Input<T>(3, other, tile), count);
    rows::Narrow(this->template OutputSlice<T>(1), slope, count);
  }

 private:
  bool exact_ = true;
};

extern "C" __global__ __aicore__ void ge_glu_grad_v2(GM_ADDR dy, GM_ADDR x, GM_ADDR gelu, GM_ADDR dx, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelGeGluGradV2<DTYPE_X> op;
  op.Init(dy, x, gelu, dx, tilingData, &pipe);
  op.Process();
}
