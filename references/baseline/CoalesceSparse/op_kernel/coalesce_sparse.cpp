// Entries of a sparse tensor with the same coordinates become one: new_indices has the coordinates of each, new_values,
// which the caller has filled with zeros, the sum.
#include "kernel_operator.h"
#include "op_kernel/row_moves.h"

// Entries go to the rows that `places` says, once for each; ADDS: rows are added up there.
template <typename E, typename PLACE, bool ADDS>
class KernelCoalesceSparse : public RowMoves<KernelCoalesceSparse<E, PLACE, ADDS>, E> {
 public:
  __aicore__ inline void Init(GM_ADDR places, GM_ADDR source, GM_ADDR target, const RowMovesTiling& moves,
                              uint64_t entries, AscendC::TPipe* pipe) {
    places_.SetGlobalBuffer(reinterpret_cast<__gm__ PLACE*>(places), entries);
    this->Start(source, target, moves, pipe);
  }

  __aicore__ inline uint64_t From(uint64_t row) { return row; }
  __aicore__ inline uint64_t ToBytes(uint64_t row) {
    return static_cast<uint64_t>(places_.GetValue(row)) * this->moves_->rowBytes;
  }

  __aicore__ inline void BeginStore() {
    if constexpr (ADDS) {
      AscendC::SetAtomicAdd<E>();
    }
  }
  __aicore__ inline void EndStore() {
    if constexpr (ADDS) {
      AscendC::SetAtomicNone();
    }
  }

 private:
  AscendC::GlobalTensor<PLACE> places_;
};

extern "C" __global__ __aicore__ void coalesce_sparse(GM_ADDR uniqueLen, GM_ADDR uniqueIndices, GM_ADDR indices,
                                                      GM_ADDR values, GM_ADDR newIndices, GM_ADDR newValues,
                                                      GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelCoalesceSparse<uint8_t, DTYPE_UNIQUE_INDICES, false> coordinates;
  coordinates.Init(uniqueIndices, indices, newIndices, tilingData.indices, tilingData.entries, &pipe);
  coordinates.Process();
  AscendC::PipeBarrier<PIPE_ALL>();
  pipe.Reset();
  KernelCoalesceSparse<DTYPE_VALUES, DTYPE_UNIQUE_INDICES, true> sums;
  sums.Init(uniqueIndices, values, newValues, tilingData.values, tilingData.entries, &pipe);
  sums.Process();
}
