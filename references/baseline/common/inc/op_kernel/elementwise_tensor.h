// Element-wise operators on single tensors.
#pragma once

#include "op_kernel/elementwise.h"

namespace elementwise {
// The elements that this core works on.
class Range {
 public:
  __aicore__ inline explicit Range(const ElementwiseTilingData& tiling) : tileLength_(tiling.tileLength) {
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    const uint64_t units = tiling.unitsPerCore + (core < larger ? 1 : 0);
    offset_ = (core * tiling.unitsPerCore + (core < larger ? core : larger)) * tiling.unitLength;
    end_ = offset_ + units * tiling.unitLength;
    end_ = end_ < tiling.totalLength ? end_ : tiling.totalLength;
  }

  // The next tile; false at the end.
  __aicore__ inline bool Next(Tile& tile) {
    if (offset_ >= end_) {
      return false;
    }
    const uint64_t left = end_ - offset_;
    tile = {0, offset_, left < tileLength_ ? static_cast<uint32_t>(left) : tileLength_};
    offset_ += tile.count;
    return true;
  }

  __aicore__ static inline GM_ADDR Address(GM_ADDR operand, uint32_t) { return operand; }

 private:
  uint64_t offset_ = 0;
  uint64_t end_ = 0;
  uint32_t tileLength_;
};

// One scalar of type S in global memory, in the type that is computed with.
template <typename T, typename S, typename C = typename ComputedAs<T>::Type>
class ScalarOperand {
 public:
  using Type = C;

  __aicore__ inline void Init(GM_ADDR scalar) { value_ = ReadScalar<C, S>(scalar); }
  __aicore__ inline C Value() { return value_; }

 private:
  C value_;
};

template <typename Operator>
__aicore__ inline void Run(Operator& op, GM_ADDR x0, GM_ADDR x1, GM_ADDR x2, GM_ADDR y,
                           const ElementwiseTilingData& tiling) {
  TPipe pipe;
  Range range(tiling);
  Pipeline<Operator, Range> pipeline(op, range);
  pipeline.Init(x0, x1, x2, y, tiling, &pipe);
  pipeline.Process();
}

template <typename Operator>
__aicore__ inline void Run(Operator& op, GM_ADDR x0, GM_ADDR x1, GM_ADDR y, const ElementwiseTilingData& tiling) {
  Run(op, x0, x1, nullptr, y, tiling);
}

template <typename Operator>
__aicore__ inline void Run(Operator& op, GM_ADDR x, GM_ADDR y, const ElementwiseTilingData& tiling) {
  Run(op, x, nullptr, nullptr, y, tiling);
}
}  // namespace elementwise
