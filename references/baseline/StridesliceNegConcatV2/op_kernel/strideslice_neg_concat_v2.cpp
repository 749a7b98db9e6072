// The first half of the last axis as it is, the second half negated.
#include "kernel_operator.h"
#include "op_kernel/row_pipeline.h"

template <typename T>
class KernelStridesliceNegConcatV2 : public RowPipeline<KernelStridesliceNegConcatV2<T>> {
 public:
  static constexpr uint32_t PASSES = 0;
  static constexpr uint32_t WORKS = 2;

  __aicore__ inline void Init(GM_ADDR input, GM_ADDR output, const StridesliceNegConcatV2TilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(input, tiling.rows.columns);
    this->template AddOutput<T>(output, tiling.rows.columns);
  }

  __aicore__ inline void Process() {
    this->Allocate();
    if (this->tiling_->mode == this->WHOLE) {
      MakeSigns(0, static_cast<uint32_t>(this->tiling_->columns));
    }
    this->Run();
  }

  __aicore__ inline void Widen(const Tile&) {}

  __aicore__ inline void Output(const Tile& tile) {
    if (this->tiling_->mode != this->WHOLE) {
      MakeSigns(tile.column, tile.columns);
    }
    const Floats x = this->template Input<T>(0, this->Work(1), tile);
    rows::WithVector(rows::Mul(), this->Work(1), x, this->Work(0), tile);
    rows::Narrow(this->template OutputSlice<T>(0), this->Work(1), tile.Count());
  }

 private:
  // 1 for the columns of the first half, -1 for those of the second, from `first` on.
  __aicore__ inline void MakeSigns(uint64_t first, uint32_t count) {
    const uint64_t half = this->tiling_->columns / 2;
    const Floats signs = this->Work(0);
    const uint64_t kept = half > first ? half - first : 0;
    AscendC::Duplicate(signs, -1.0f, static_cast<int32_t>(count));
    if (kept > 0) {
      AscendC::Duplicate(signs, 1.0f, static_cast<int32_t>(kept < count ? kept : count));
    }
  }
};

extern "C" __global__ __aicore__ void strideslice_neg_concat_v2(GM_ADDR input, GM_ADDR output, GM_ADDR workspace,
                                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelStridesliceNegConcatV2<DTYPE_INPUT> op;
  op.Init(input, output, tilingData, &pipe);
  op.Process();
}
