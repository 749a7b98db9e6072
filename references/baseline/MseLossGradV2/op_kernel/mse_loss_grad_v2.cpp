// y = (predict - label) * factor * dout, in float32.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelMseLossGradV2 : public RowPipeline<KernelMseLossGradV2<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR predict, GM_ADDR label, GM_ADDR dout, GM_ADDR y,
                              const MseLossGradV2TilingData& tiling, AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    factor_ = tiling.factor;
    this->template AddInput<T>(predict, tiling.rows.columns);
    this->template AddInput<T>(label, tiling.rows.columns);
    this->template AddInput<T>(dout, tiling.rows.columns);
    this->template AddOutput<T>(y, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats y = this->Work(0);
    const Floats predict = this->template Input<T>(0, y, tile);
    const Floats label = this->template Input<T>(1, this->Work(1), tile);
    AscendC::Sub(y, predict, label, count);
    AscendC::Muls(y, y, factor_, count);
    AscendC::Mul(y, y, this->template Input<T>(2, this->Work(2), tile), count);
    rows::Narrow(this->template OutputSlice<T>(0), y, count);
  }

 private:
  float factor_ = 0.0f;
};

extern "C" __global__ __aicore__ void mse_loss_grad_v2(GM_ADDR predict, GM_ADDR label, GM_ADDR dout, GM_ADDR y,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelMseLossGradV2<DTYPE_PREDICT> op;
  op.Init(predict, label, dout, y, tilingData, &pipe);
  op.Process();
}
