// Pipelines without arithmetic: elements that are moved as they are, and one pattern that is stored everywhere.
#pragma once

#include "op_kernel/elementwise.h"

namespace elementwise {
// Integers that stand for any element of so many bytes.
template <uint32_t BYTES>
struct Bits;
template <>
struct Bits<1> {
  using Type = int8_t;
};
template <>
struct Bits<2> {
  using Type = int16_t;
};
template <>
struct Bits<4> {
  using Type = int32_t;
};
template <>
struct Bits<8> {
  using Type = int64_t;
};

// y = x by way of the unified buffer: what was loaded is stored from where it lies.
template <typename T, typename Walk>
class Move {
 public:
  __aicore__ inline explicit Move(Walk& walk) : walk_(walk) {}

  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const Tiling& tiling, TPipe* pipe) {
    x_ = x;
    y_ = y;
    pipe->InitBuffer(queue_, BUFFERS, tiling.bufferLength * sizeof(T));
  }

  __aicore__ inline void Process() {
    Tile next;
    bool more = walk_.Next(next);
    if (more) {
      Load(next);
    }
    while (more) {
      const Tile current = next;
      more = walk_.Next(next);
      if (more) {
        Load(next);
      }
      Store(current);
    }
  }

 private:
  __aicore__ inline void Load(const Tile& tile) {
    const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
    const DataCopyPadExtParams<T> pad{};
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(Walk::Address(x_, tile.tensor)) + tile.offset, tile.count);
    LocalTensor<T> elements = queue_.template AllocTensor<T>();
    DataCopyPad(elements, gm_, copy, pad);
    queue_.EnQue(elements);
  }

  __aicore__ inline void Store(const Tile& tile) {
    const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(Walk::Address(y_, tile.tensor)) + tile.offset, tile.count);
    LocalTensor<T> elements = queue_.template DeQue<T>();
    DataCopyPad(gm_, elements, copy);
    queue_.FreeTensor(elements);
  }

  Walk& walk_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, BUFFERS> queue_;
  GlobalTensor<T> gm_;
  GM_ADDR x_ = nullptr;
  GM_ADDR y_ = nullptr;
};

// y = the start of one pattern as long as a tile, again and again.
template <typename T, typename Walk>
class Spread {
 public:
  __aicore__ inline explicit Spread(Walk& walk) : walk_(walk) {}

  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR y, const Tiling& tiling, TPipe* pipe) {
    y_ = y;
    pipe->InitBuffer(queue_, 1, tiling.bufferLength * sizeof(T));
    pattern_ = queue_.template AllocTensor<T>();
  }

  // What the caller fills, as long as a tile, before Process.
  __aicore__ inline LocalTensor<T> Pattern() { return pattern_; }

  __aicore__ inline void Process() {
    queue_.EnQue(pattern_);
    pattern_ = queue_.template DeQue<T>();
    Tile tile;
    while (walk_.Next(tile)) {
      const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(T)), 0, 0, 0};
      gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(Walk::Address(y_, tile.tensor)) + tile.offset, tile.count);
      DataCopyPad(gm_, pattern_, copy);
    }
    queue_.FreeTensor(pattern_);
  }

 private:
  Walk& walk_;
  TQue<QuePosition::VECOUT, 1> queue_;
  LocalTensor<T> pattern_;
  GlobalTensor<T> gm_;
  GM_ADDR y_ = nullptr;
};
}  // namespace elementwise
