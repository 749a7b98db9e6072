// Operators on lists of tensors: the lists are one stretch of elements, and the pipeline runs on over tensor borders.
#pragma once

#include "op_kernel/elementwise.h"

namespace foreach {
using namespace AscendC;
using elementwise::Tile;
using elementwise::Work;

// The part of the lists that this core works on.
class Walk {
 public:
  __aicore__ inline explicit Walk(const ForeachTilingData& tiling) : tiling_(tiling) {
    const uint32_t core = GetBlockIdx();
    tensor_ = tiling.startTensor[core];
    offset_ = tiling.startOffset[core];
    endTensor_ = tiling.endTensor[core];
    endOffset_ = tiling.endOffset[core];
  }

  // The next tile; false at the end.
  __aicore__ inline bool Next(Tile& tile) {
    for (; tensor_ <= endTensor_; ++tensor_, offset_ = 0) {
      const int64_t end = tensor_ == endTensor_ ? endOffset_ : tiling_.tensorLength[tensor_];
      if (offset_ < end) {
        const int64_t left = end - offset_;
        const uint32_t count = left < tiling_.tileLength ? static_cast<uint32_t>(left) : tiling_.tileLength;
        tile = {tensor_, static_cast<uint64_t>(offset_), count};
        offset_ += count;
        return true;
      }
    }
    return false;
  }

  // A list arrives as the address of a descriptor: its first word is the byte offset of the table of data addresses.
  __aicore__ static inline GM_ADDR Address(GM_ADDR list, uint32_t tensor) {
    __gm__ uint64_t* descriptor = reinterpret_cast<__gm__ uint64_t*>(list);
    __gm__ uint64_t* addresses = descriptor + descriptor[0] / sizeof(uint64_t);
    return reinterpret_cast<GM_ADDR>(addresses[tensor]);
  }

 private:
  const ForeachTilingData& tiling_;
  uint32_t tensor_ = 0;
  uint32_t endTensor_ = 0;
  int64_t offset_ = 0;
  int64_t endOffset_ = 0;
};

// One scalar of type S for all tensors of a list of T, in the type that is computed with.
template <typename T, typename S, typename C = typename elementwise::ComputedAs<T>::Type>
class ScalarOfAll {
 public:
  using Type = C;

  __aicore__ inline void Init(GM_ADDR scalar) { value_ = elementwise::ReadScalar<C, S>(scalar); }
  __aicore__ inline C Of(const Tile&) { return value_; }

 private:
  C value_;
};

// One scalar for each tensor.
template <typename T, typename S, typename C = typename elementwise::ComputedAs<T>::Type>
class ScalarOfEach {
 public:
  using Type = C;

  __aicore__ inline void Init(GM_ADDR scalars) { scalars_ = scalars; }
  __aicore__ inline C Of(const Tile& tile) { return elementwise::ReadScalar<C, S>(scalars_, tile.tensor); }

 private:
  GM_ADDR scalars_ = nullptr;
};

template <typename Operator>
__aicore__ inline void Run(Operator& op, GM_ADDR x0, GM_ADDR x1, GM_ADDR x2, GM_ADDR y,
                           const ForeachTilingData& tiling) {
  TPipe pipe;
  Walk walk(tiling);
  elementwise::Pipeline<Operator, Walk> pipeline(op, walk);
  pipeline.Init(x0, x1, x2, y, tiling, &pipe);
  pipeline.Process();
}

template <typename Operator>
__aicore__ inline void Run(Operator& op, GM_ADDR x0, GM_ADDR x1, GM_ADDR y, const ForeachTilingData& tiling) {
  Run(op, x0, x1, nullptr, y, tiling);
}

template <typename Operator>
__aicore__ inline void Run(Operator& op, GM_ADDR x, GM_ADDR y, const ForeachTilingData& tiling) {
  Run(op, x, nullptr, nullptr, y, tiling);
}
}  // namespace foreach
