// The pipeline of element-wise operators: while a tile is computed, the next one is on its way into the unified buffer.
//
// An operator is a class with the types X of its operands and Y of its result, the number INPUTS of its operands, and
//   void Compute(const LocalTensor<Y>& y, const LocalTensor<X>& x0, …, const Work& work, const Tile& tile)
// Which elements a core works on is told by a walk: one tensor (elementwise_tensor.h) or lists of tensors (foreach.h).
#pragma once

#include "kernel_operator.h"

namespace elementwise {
using namespace AscendC;

constexpr int32_t BUFFERS = 2;
constexpr uint32_t BANK_SHIFT_BYTES = 128;  // makes operands of one step start in different banks

struct Tile {
  uint32_t tensor;  // in its list
  uint64_t offset;
  uint32_t count;
};

// Memory for intermediate results: slots of one float32 vector each, and what the library needs behind them.
class Work {
 public:
  __aicore__ inline Work() {}
  __aicore__ inline Work(const LocalTensor<uint8_t>& memory, uint32_t length) : memory_(memory), length_(length) {}

  // A vector as long as a step, of a type of up to 32 bits.
  template <typename T = float>
  __aicore__ inline LocalTensor<T> Slot(uint32_t index) const {
    return memory_[index * SlotBytes()].template ReinterpretCast<T>();
  }

  // Everything from this slot on.
  __aicore__ inline LocalTensor<uint8_t> Rest(uint32_t index) const { return memory_[index * SlotBytes()]; }
  __aicore__ inline Work After(uint32_t slots) const { return Work(Rest(slots), length_); }

 private:
  __aicore__ inline uint32_t SlotBytes() const { return length_ * sizeof(float) + BANK_SHIFT_BYTES; }

  LocalTensor<uint8_t> memory_;
  uint32_t length_ = 0;
};

// What the device computes with in place of T.
template <typename T>
struct ComputedAs {
  using Type = T;
};
template <>
struct ComputedAs<half> {
  using Type = float;
};
template <>
struct ComputedAs<bfloat16_t> {
  using Type = float;
};

// The same where every step may be rounded to half, as the references of some operators do.
template <typename T>
struct ComputedInSteps {
  using Type = typename ComputedAs<T>::Type;
};
template <>
struct ComputedInSteps<half> {
  using Type = half;
};

// The result must not overlap the operands, which is what most functions of the library ask for.
constexpr bool APART = true;

// An operator by its formula: operands of another type than C are converted to it, the result is rounded once. The
// formula has Compute(y, x0, …, work, tile) in C; y may be the same memory as x0, if not APART.
template <typename T, uint32_t OPERANDS, typename Formula, bool RESULT_APART = false,
          typename C = typename ComputedAs<T>::Type>
class Widened {
 public:
  using X = T;
  using Y = T;
  static constexpr uint32_t INPUTS = OPERANDS;
  static constexpr bool WIDENED = !IsSameType<T, C>::value;

  __aicore__ inline Widened() {}

  __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x, const Work& work, const Tile& tile) {
    if constexpr (WIDENED) {
      LocalTensor<C> wide = Widen(x, work, 0, tile.count);
      LocalTensor<C> result = work.template Slot<C>(RESULT);
      formula.Compute(result, wide, work.After(RESULT + 1), tile);
      Cast(y, result, RoundMode::CAST_RINT, tile.count);
    } else {
      formula.Compute(y, x, work, tile);
    }
  }

  __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x0, const LocalTensor<T>& x1,
                                 const Work& work, const Tile& tile) {
    if constexpr (WIDENED) {
      LocalTensor<C> wide0 = Widen(x0, work, 0, tile.count);
      LocalTensor<C> wide1 = Widen(x1, work, 1, tile.count);
      formula.Compute(wide0, wide0, wide1, work.After(2), tile);
      Cast(y, wide0, RoundMode::CAST_RINT, tile.count);
    } else {
      formula.Compute(y, x0, x1, work, tile);
    }
  }

  __aicore__ inline void Compute(const LocalTensor<T>& y, const LocalTensor<T>& x0, const LocalTensor<T>& x1,
                                 const LocalTensor<T>& x2, const Work& work, const Tile& tile) {
    if constexpr (WIDENED) {
      LocalTensor<C> wide0 = Widen(x0, work, 0, tile.count);
      LocalTensor<C> wide1 = Widen(x1, work, 1, tile.count);
      LocalTensor<C> wide2 = Widen(x2, work, 2, tile.count);
      formula.Compute(wide0, wide0, wide1, wide2, work.After(3), tile);
      Cast(y, wide0, RoundMode::CAST_RINT, tile.count);
    } else {
      formula.Compute(y, x0, x1, x2, work, tile);
    }
  }

  Formula formula;

 private:
  static constexpr uint32_t RESULT = RESULT_APART ? OPERANDS : 0;  // slot of the result of one operand

  __aicore__ inline LocalTensor<C> Widen(const LocalTensor<T>& x, const Work& work, uint32_t slot, uint32_t count) {
    LocalTensor<C> wide = work.template Slot<C>(slot);
    Cast(wide, x, sizeof(T) < sizeof(C) ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, count);
    return wide;
  }
};

// A number in global memory, in the type that is computed with.
template <typename C, typename S>
__aicore__ inline C ReadScalar(GM_ADDR address, uint32_t index = 0) {
  GlobalTensor<S> scalars;
  scalars.SetGlobalBuffer(reinterpret_cast<__gm__ S*>(address), index + 1);
  if constexpr (IsSameType<S, bfloat16_t>::value) {
    return static_cast<C>(ToFloat(scalars.GetValue(index)));
  } else {
    return static_cast<C>(scalars.GetValue(index));
  }
}

template <typename Operator, typename Walk>
class Pipeline {
  using X = typename Operator::X;
  using Y = typename Operator::Y;
  static constexpr uint32_t INPUTS = Operator::INPUTS;

 public:
  __aicore__ inline Pipeline(Operator& op, Walk& walk) : op_(op), walk_(walk) {}

  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR x0, GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const Tiling& tiling, TPipe* pipe) {
    x_[0] = x0;
    x_[1] = x1;
    x_[2] = x2;
    y_ = y;
    stride_ = tiling.bufferLength + BANK_SHIFT_BYTES / sizeof(X);
    pipe->InitBuffer(xQueue_, BUFFERS, INPUTS * stride_ * sizeof(X));
    pipe->InitBuffer(yQueue_, BUFFERS, tiling.bufferLength * sizeof(Y));
    if (tiling.workBytes > 0) {
      pipe->InitBuffer(workBuffer_, tiling.workBytes);
      work_ = Work(workBuffer_.template Get<uint8_t>(), tiling.bufferLength);
    }
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
      Compute(current);
      Store(current);
    }
  }

 private:
  __aicore__ inline void Load(const Tile& tile) {
    const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(X)), 0, 0, 0};
    const DataCopyPadExtParams<X> pad{};
    LocalTensor<X> x = xQueue_.template AllocTensor<X>();
    for (uint32_t i = 0; i < INPUTS; ++i) {
      xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ X*>(Walk::Address(x_[i], tile.tensor)) + tile.offset, tile.count);
      DataCopyPad(x[i * stride_], xGm_, copy, pad);
    }
    xQueue_.EnQue(x);
  }

  __aicore__ inline void Compute(const Tile& tile) {
    LocalTensor<X> x = xQueue_.template DeQue<X>();
    LocalTensor<Y> y = yQueue_.template AllocTensor<Y>();
    if constexpr (INPUTS == 1) {
      op_.Compute(y, x, work_, tile);
    } else if constexpr (INPUTS == 2) {
      op_.Compute(y, x, x[stride_], work_, tile);
    } else {
      op_.Compute(y, x, x[stride_], x[2 * stride_], work_, tile);
    }
    yQueue_.EnQue(y);
    xQueue_.FreeTensor(x);
  }

  __aicore__ inline void Store(const Tile& tile) {
    LocalTensor<Y> y = yQueue_.template DeQue<Y>();
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ Y*>(Walk::Address(y_, tile.tensor)) + tile.offset, tile.count);
    const DataCopyExtParams copy{1, static_cast<uint32_t>(tile.count * sizeof(Y)), 0, 0, 0};
    DataCopyPad(yGm_, y, copy);
    yQueue_.FreeTensor(y);
  }

  Operator& op_;
  Walk& walk_;
  TQue<QuePosition::VECIN, BUFFERS> xQueue_;
  TQue<QuePosition::VECOUT, BUFFERS> yQueue_;
  TBuf<TPosition::VECCALC> workBuffer_;
  Work work_;
  GlobalTensor<X> xGm_;
  GlobalTensor<Y> yGm_;
  GM_ADDR x_[3];
  GM_ADDR y_ = nullptr;
  uint32_t stride_ = 0;
};
}  // namespace elementwise
