// Slices of x along an axis, chosen by indices.
#include "kernel_operator.h"
#include "op_kernel/row_moves.h"

template <typename INDEX>
class KernelGatherV3 : public RowMoves<KernelGatherV3<INDEX>> {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR indices, GM_ADDR y, const GatherV3TilingData& tiling,
                              AscendC::TPipe* pipe) {
    gather_ = &tiling;
    indices_.SetGlobalBuffer(reinterpret_cast<__gm__ INDEX*>(indices), tiling.indices);
    this->Start(x, y, tiling.moves, pipe);
  }

  __aicore__ inline uint64_t From(uint64_t row) {
    const uint64_t index = static_cast<uint64_t>(indices_.GetValue(row % gather_->indices));
    return row / gather_->indices * gather_->extent + index;
  }

 private:
  const GatherV3TilingData* gather_ = nullptr;
  AscendC::GlobalTensor<INDEX> indices_;
};

extern "C" __global__ __aicore__ void gather_v3(GM_ADDR x, GM_ADDR indices, GM_ADDR axis, GM_ADDR y, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelGatherV3<DTYPE_INDICES> op;
  op.Init(x, indices, y, tilingData, &pipe);
  op.Process();
}
