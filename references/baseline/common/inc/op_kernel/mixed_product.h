// Products that the vector cores finish. The cube core of a group multiplies one block after the other into two slots
// of the workspace; its two vector cores take half of the rows of each and finish them from there. With a slot for every
// block of a group the products stay, and the vector cores may visit them again.
#pragma once

#include "common/inc/op_kernel/block_product.h"

constexpr uint32_t SLOTS = 2;
// Flags between the cores of a group: the slot is full, the slot is free.
constexpr uint16_t FULL = 0;
constexpr uint16_t FREE = SLOTS;
constexpr uint32_t TILE_LENGTH = 4096;  // elements that are finished at a time
constexpr uint32_t VECTOR_LANES = 64;   // floats of one repeat
constexpr uint32_t MAX_REPEAT = 255;

// `rows` of `columns` elements, `stride` elements apart in the unified buffer, and their place in the result of product
// `group`.
struct FinishTile {
  uint32_t rows, columns, stride;
  uint32_t row, column, group;
};

template <typename T>
__aicore__ inline void CopyRowsIn(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const FinishTile& tile,
                                  uint32_t rowLength) {
  constexpr uint32_t perBlock = 32 / sizeof(T);
  DataCopyExtParams params;
  params.blockCount = static_cast<uint16_t>(tile.rows);
  params.blockLen = tile.columns * sizeof(T);
  params.srcStride = (rowLength - tile.columns) * sizeof(T);
  params.dstStride = (tile.stride - AlignUp(tile.columns, perBlock)) / perBlock;
  DataCopyPad(dst, src, params, DataCopyPadExtParams<T>{false, 0, 0, 0});
}

template <typename T>
__aicore__ inline void CopyRowsOut(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const FinishTile& tile,
                                   uint32_t rowLength) {
  constexpr uint32_t perBlock = 32 / sizeof(T);
  DataCopyExtParams params;
  params.blockCount = static_cast<uint16_t>(tile.rows);
  params.blockLen = tile.columns * sizeof(T);
  params.srcStride = (tile.stride - AlignUp(tile.columns, perBlock)) / perBlock;
  params.dstStride = (rowLength - tile.columns) * sizeof(T);
  DataCopyPad(dst, src, params);
}

// `Operation` derives from this and has Locate(block), StartBlock(tile) and FinishRows(sums, tile).
template <typename Operation, typename T, typename Sum, bool COLUMNS = false>
class MixedProduct {
 public:
  __aicore__ inline void InitProduct(const BlockPlan& plan, GM_ADDR workspace, TPipe* pipe, uint32_t slots = SLOTS) {
    plan_ = &plan;
    slotCount_ = slots;
    const uint64_t slotLength = static_cast<uint64_t>(plan.baseM) * plan.baseN;
    const uint64_t group = g_coreType == AIC ? GetBlockIdx() : GetBlockIdx() / GetTaskRatio();
    slots_.SetGlobalBuffer(reinterpret_cast<__gm__ Sum*>(workspace) + group * slots * slotLength, slots * slotLength);
    if ASCEND_IS_AIC {
      product_.Init(plan, pipe);
    } else {
      pipe->InitBuffer(sumQueue_, BUFFER_NUM, TILE_LENGTH * sizeof(Sum));
    }
  }

  __aicore__ inline void ProcessBlocks(uint64_t blocks) {
    if ASCEND_IS_AIC {
      MultiplyAll(blocks);
    } else {
      FinishAll<false>(blocks);
    }
  }

  // On vector cores, after ProcessBlocks: StartBlock and FinishRows once more for the same rows.
  __aicore__ inline void RevisitBlocks(uint64_t blocks) { FinishAll<true>(blocks); }

 private:
  __aicore__ inline Operation& Derived() { return *static_cast<Operation*>(this); }
  __aicore__ inline GlobalTensor<Sum> SlotOf(uint32_t step) {
    return slots_[static_cast<uint64_t>(step % slotCount_) * plan_->baseM * plan_->baseN];
  }

  __aicore__ inline void MultiplyAll(uint64_t blocks) {
    uint32_t step = 0;
    product_.Begin();
    for (uint64_t block = GetBlockIdx(); block < blocks; block += GetBlockNum()) {
      const uint16_t slot = static_cast<uint16_t>(step % SLOTS);
      const LocatedBlock<T> located = Derived().Locate(block);
      product_.Compute(located.a, located.b, located.extents);
      if (step >= SLOTS) {
        CrossCoreWaitFlag(FREE + slot);
      }
      product_.Store(SlotOf(step), plan_->baseN);
      CrossCoreSetFlag<2, PIPE_FIX>(FULL + slot);
      ++step;
    }
    for (uint16_t slot = 0; slot < Least(step, SLOTS); ++slot) {
      CrossCoreWaitFlag(FREE + slot);
    }
    product_.End();
  }

  template <bool AGAIN>
  __aicore__ inline void FinishAll(uint64_t blocks) {
    uint32_t step = 0;
    for (uint64_t block = GetBlockIdx() / GetTaskRatio(); block < blocks; block += GetBlockNum()) {
      const uint16_t slot = static_cast<uint16_t>(step % SLOTS);
      const LocatedBlock<T> located = Derived().Locate(block);
      const uint32_t share = CeilDiv(located.extents.m, static_cast<uint32_t>(GetTaskRatio()));
      const uint32_t first = Least(static_cast<uint32_t>(GetSubBlockIdx()) * share, located.extents.m);
      FinishTile tile;
      tile.rows = Least(share, located.extents.m - first);
      tile.columns = located.extents.n;
      tile.stride = AlignUp(tile.columns, FRACTAL_ROWS);
      tile.row = located.row + first;
      tile.column = located.column;
      tile.group = located.group;
      if (tile.rows != 0) {
        Derived().StartBlock(tile);
      }
      if constexpr (!AGAIN) {
        CrossCoreWaitFlag(FULL + slot);
      }
      FinishBlock(SlotOf(step)[first * plan_->baseN], tile);
      if constexpr (!AGAIN) {
        CrossCoreSetFlag<2, PIPE_MTE2>(FREE + slot);
      }
      ++step;
    }
  }

  __aicore__ inline void FinishBlock(const GlobalTensor<Sum>& sums, FinishTile tile) {
    const uint32_t rowsAtOnce = TILE_LENGTH / tile.stride;
    const uint32_t end = tile.rows;
    for (uint32_t row = 0; row < end; row += tile.rows) {
      tile.rows = Least(rowsAtOnce, end - row);
      LocalTensor<Sum> part = sumQueue_.template AllocTensor<Sum>();
      CopyRowsIn(part, sums[row * plan_->baseN], tile, plan_->baseN);
      sumQueue_.EnQue(part);
      part = sumQueue_.template DeQue<Sum>();
      Derived().FinishRows(part, tile);
      sumQueue_.FreeTensor(part);
      tile.row += tile.rows;
    }
  }

  BlockProduct<T, Sum, false, COLUMNS> product_;
  TQue<TPosition::VECIN, BUFFER_NUM> sumQueue_;
  GlobalTensor<Sum> slots_;
  const BlockPlan* plan_ = nullptr;
  uint32_t slotCount_ = SLOTS;
};

// Multiplies every one of `rows` with a row, which is read again for each.
__aicore__ inline void MultiplyEachRow(const LocalTensor<float>& rows, const LocalTensor<float>& row,
                                       const FinishTile& tile) {
  const uint8_t rowBlocks = static_cast<uint8_t>(tile.stride / 8);
  const BinaryRepeatParams params(1, 1, 1, rowBlocks, rowBlocks, 0);
  for (uint32_t column = 0; column < tile.stride; column += VECTOR_LANES) {
    const uint64_t lanes = Least(VECTOR_LANES, tile.stride - column);
    for (uint32_t first = 0; first < tile.rows; first += MAX_REPEAT) {
      const LocalTensor<float> part = rows[first * tile.stride + column];
      Mul(part, part, row[column], lanes, static_cast<uint8_t>(Least(MAX_REPEAT, tile.rows - first)), params);
    }
  }
}
