// The blocks of all groups of a grouped product are one sequence that the cores share.
#pragma once

#include "common/inc/op_kernel/mixed_product.h"

// What a group takes of the axis that is cut, and the number of its first block.
struct Group {
  uint32_t index, from, to;
  uint64_t firstBlock;
};

// One block of one group: its place in the product of the group.
struct GroupBlock {
  uint32_t row, column, m, n;
};

// By rows, group g multiplies rows ends[g - 1] .. ends[g] of a with b[g]; by depth, columns of a with as many rows of b.
// An empty group has no blocks: by rows it has no result, by depth the result is zeros, as the caller has filled it.
template <bool BY_DEPTH>
class GroupedBlocks {
 public:
  __aicore__ inline GroupedBlocks() {}

  __aicore__ inline void Init(GM_ADDR ends, const GroupedTilingData& tiling) {
    tiling_ = &tiling;
    ends_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(ends), tiling.groups);
    blockColumns_ = CeilDiv(tiling.n, tiling.plan.baseN);
    group_ = {0, 0, static_cast<uint32_t>(ends_.GetValue(0)), 0};
  }

  __aicore__ inline uint64_t Count() {
    uint64_t blocks = 0;
    Group group = group_;
    for (;;) {
      blocks += BlocksOf(group);
      if (group.index + 1 == tiling_->groups) {
        return blocks;
      }
      group = Next(group);
    }
  }

  // Block numbers only ever grow.
  __aicore__ inline GroupBlock Find(uint64_t block) {
    while (block >= group_.firstBlock + BlocksOf(group_)) {
      group_ = Next(group_);
    }
    const BlockPosition position =
        PositionOf(block - group_.firstBlock, CeilDiv(Rows(group_), tiling_->plan.baseM), blockColumns_);
    GroupBlock found;
    found.row = position.row * tiling_->plan.baseM;
    found.column = position.column * tiling_->plan.baseN;
    found.m = Least(tiling_->plan.baseM, Rows(group_) - found.row);
    found.n = Least(tiling_->plan.baseN, tiling_->n - found.column);
    return found;
  }

  __aicore__ inline const Group& Current() const { return group_; }

 private:
  __aicore__ inline uint32_t Rows(const Group& group) const { return BY_DEPTH ? tiling_->m : group.to - group.from; }
  __aicore__ inline uint64_t BlocksOf(const Group& group) const {
    if (group.to <= group.from) {
      return 0;
    }
    return static_cast<uint64_t>(CeilDiv(Rows(group), tiling_->plan.baseM)) * blockColumns_;
  }
  __aicore__ inline Group Next(const Group& group) const {
    return {group.index + 1, group.to, static_cast<uint32_t>(ends_.GetValue(group.index + 1)),
            group.firstBlock + BlocksOf(group)};
  }

  const GroupedTilingData* tiling_ = nullptr;
  GlobalTensor<int64_t> ends_;
  uint32_t blockColumns_ = 0;
  Group group_{};
};

// Where the matrices of a block begin: a[m, k] by rows, its transpose by depth; b[group, k, n], or b[k, n].
template <bool BY_DEPTH, typename T>
__aicore__ inline LocatedBlock<T> LocateIn(const Group& group, const GroupBlock& block, const GlobalTensor<T>& a,
                                           const GlobalTensor<T>& b, const GroupedTilingData& tiling) {
  LocatedBlock<T> located;
  located.group = group.index;
  located.column = block.column;
  located.extents.m = block.m;
  located.extents.n = block.n;
  located.extents.strideB = tiling.n;
  if constexpr (BY_DEPTH) {
    located.row = block.row;
    located.a = a[static_cast<uint64_t>(group.from) * tiling.m + block.row];
    located.b = b[static_cast<uint64_t>(group.from) * tiling.n + block.column];
    located.extents.k = group.to - group.from;
    located.extents.strideA = tiling.m;
  } else {
    located.row = group.from + block.row;
    located.a = a[static_cast<uint64_t>(located.row) * tiling.k];
    located.b = b[static_cast<uint64_t>(group.index) * tiling.k * tiling.n + block.column];
    located.extents.k = tiling.k;
    located.extents.strideA = tiling.k;
  }
  return located;
}

// Grouped products of half on the cube cores, float32 sums rounded once.
template <bool BY_DEPTH>
class GroupedMatmul {
 public:
  __aicore__ inline GroupedMatmul() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR ends, GM_ADDR c, const GroupedTilingData& tiling,
                              TPipe* pipe) {
    tiling_ = &tiling;
    a_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a));
    b_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b));
    c_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c));
    blocks_.Init(ends, tiling);
    product_.Init(tiling.plan, pipe);
  }

  __aicore__ inline void Process() {
    const uint64_t blocks = blocks_.Count();
    product_.Begin();
    for (uint64_t block = GetBlockIdx(); block < blocks; block += GetBlockNum()) {
      const GroupBlock found = blocks_.Find(block);
      const LocatedBlock<half> located = LocateIn<BY_DEPTH>(blocks_.Current(), found, a_, b_, *tiling_);
      product_.Compute(located.a, located.b, located.extents);
      const uint64_t row = BY_DEPTH ? static_cast<uint64_t>(located.group) * tiling_->m + located.row : located.row;
      product_.Store(c_[row * tiling_->n + located.column], tiling_->n);
    }
    product_.End();
  }

 private:
  const GroupedTilingData* tiling_ = nullptr;
  GroupedBlocks<BY_DEPTH> blocks_;
  BlockProduct<half, float, false, BY_DEPTH> product_;
  GlobalTensor<half> a_, b_, c_;
};
