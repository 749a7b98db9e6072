// Softmax over the last axis, in float32; x is overwritten.
#include "kernel_operator.h"
#include "op_kernel/row_softmax.h"

template <typename T>
class KernelInplaceAttnSoftmax : public RowSoftmax<KernelInplaceAttnSoftmax<T>> {
 public:
  static constexpr uint32_t WORKS = 2;

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR xOut, const InplaceAttnSoftmaxTilingData& tiling,
                              AscendC::TPipe* pipe) {
    this->Start(tiling.rows, pipe);
    this->template AddInput<T>(x, tiling.rows.columns);
    this->template AddOutput<T>(xOut, tiling.rows.columns);
  }

  __aicore__ inline void Widen(const Tile& tile) {
    const Floats x = this->Work(0);
    const Floats wide = this->template Input<T>(0, x, tile);
    if constexpr (AscendC::IsSameType<T, float>::value) {
      AscendC::Adds(x, wide, 0.0f, tile.Count());
    }
  }

  __aicore__ inline void Output(const Tile& tile) {
    rows::Narrow(this->template OutputSlice<T>(0), this->Work(0), tile.Count());
  }
};

extern "C" __global__ __aicore__ void inplace_attn_softmax(GM_ADDR x, GM_ADDR xOut, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelInplaceAttnSoftmax<DTYPE_X> op;
  op.Init(x, xOut, tilingData, &pipe);
  op.Process();
}
