// Squares of predict - label, or their sum or mean; in float32, rounded once.
#include "kernel_operator.h"
#include "op_kernel/core_sums.h"
#include "op_kernel/row_pipeline.h"

// Squares of differences: SUMS adds them up, else each is a result.
template <typename T, bool SUMS>
class KernelMseLoss : public RowPipeline<KernelMseLoss<T, SUMS>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 3;

  __aicore__ inline void Init(GM_ADDR predict, GM_ADDR label, GM_ADDR y, GM_ADDR workspace,
                              const MseLossTilingData& tiling, AscendC::TPipe* pipe) {
    y_ = y;
    factor_ = tiling.factor;
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(predict, tiling.rows.columns);
    this->template AddInput<T>(label, tiling.rows.columns);
    if constexpr (SUMS) {
      sums_.Init(workspace, pipe);
    } else {
      this->template AddOutput<T>(y, tiling.rows.columns);
    }
  }

  __aicore__ inline void Process() {
    this->Allocate();
    rows::Tile tile;
    tile.columns = this->tiling_->bufferElements;
    if constexpr (SUMS) {
      AscendC::Duplicate(this->Work(2), 0.0f, tile.Count());
    }
    this->Run();
    if constexpr (SUMS) {
      const Floats own = sums_.Own();
      AscendC::Duplicate(own, 0.0f, static_cast<int32_t>(rows::LANES_PER_BLOCK));
      rows::Reduce<rows::SumOf>(own, this->Work(2), tile);
      const Floats total = sums_.Total();
      if (AscendC::GetBlockIdx() == 0) {
        AscendC::Muls(total, total, factor_, 1);
        const AscendC::LocalTensor<T> narrow = this->Work(0).template ReinterpretCast<T>();
        rows::Narrow(narrow, total, 1);
        sums_.Store(y_, narrow, 1);
      }
    }
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    const int32_t count = tile.Count();
    const Floats square = this->Work(0);
    const Floats predict = this->template Input<T>(0, square, tile);
    AscendC::Sub(square, predict, this->template Input<T>(1, this->Work(1), tile), count);
    AscendC::Mul(square, square, square, count);
    if constexpr (SUMS) {
      AscendC::Add(this->Work(2), this->Work(2), square, count);
    } else {
      rows::Narrow(this->template OutputSlice<T>(0), square, count);
    }
  }

 private:
  CoreSums sums_;
  GM_ADDR y_ = nullptr;
  float factor_ = 1.0f;
};

extern "C" __global__ __aicore__ void mse_loss(GM_ADDR predict, GM_ADDR label, GM_ADDR y, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    KernelMseLoss<DTYPE_PREDICT, false> op;
    op.Init(predict, label, y, workspace, tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    KernelMseLoss<DTYPE_PREDICT, true> op;
    op.Init(predict, label, y, workspace, tilingData, &pipe);
    op.Process();
  }
}
