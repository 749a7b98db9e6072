// y = x in another type. Floats lose their fraction where they become integers; integers that are too large for their new
// type lose their high bits; bool is whether a number is not zero. The device converts few pairs directly: others pass
// through types that hold every value there is.
#include "op_kernel/elementwise_boolean.h"
#include "op_kernel/elementwise_move.h"
#include "op_kernel/elementwise_tensor.h"

using namespace AscendC;

using elementwise::Tile;
using elementwise::Work;

// bool is a byte of 0 or 1.
template <typename T>
struct StoredAs {
  using Type = T;
};
template <>
struct StoredAs<bool> {
  using Type = uint8_t;
};

template <typename T>
constexpr bool IS_BYTE = sizeof(T) == 1;
template <typename T>
constexpr bool IS_FLOAT = IsSameType<T, half>::value || IsSameType<T, bfloat16_t>::value || IsSameType<T, float>::value;

// Whether elements are not zero.
template <typename T>
struct NotZero {
  using X = T;
  using Y = uint8_t;
  static constexpr uint32_t INPUTS = 1;

  __aicore__ inline void Compute(const LocalTensor<uint8_t>& y, const LocalTensor<T>& x, const Work& work,
                                 const Tile& tile) {
    LocalTensor<uint8_t> bits = work.Slot<uint8_t>(1);
    if constexpr (IS_BYTE<T>) {
      LocalTensor<half> numbers = work.Slot<half>(0);
      Cast(numbers, x, RoundMode::CAST_NONE, tile.count);
      CompareScalar(bits, numbers, static_cast<half>(0.0), CMPMODE::EQ, elementwise::WholeRepeats<half>(tile.count));
    } else if constexpr (IsSameType<T, bfloat16_t>::value || IsSameType<T, int64_t>::value) {
      LocalTensor<float> numbers = work.Slot(0);
      Cast(numbers, x, sizeof(T) < sizeof(float) ? RoundMode::CAST_NONE : RoundMode::CAST_RINT, tile.count);
      CompareScalar(bits, numbers, 0.0f, CMPMODE::EQ, elementwise::WholeRepeats<float>(tile.count));
    } else {
      CompareScalar(bits, x, static_cast<T>(0), CMPMODE::EQ, elementwise::WholeRepeats<T>(tile.count));
    }
    elementwise::BytesOfBits<true>(y, bits, work.Slot<half>(2), tile.count);
  }
};

template <typename From, typename To>
struct Conversion {
  using X = From;
  using Y = To;
  static constexpr uint32_t INPUTS = 1;

  __aicore__ inline void Compute(const LocalTensor<To>& y, const LocalTensor<From>& x, const Work& work,
                                 const Tile& tile) {
    const uint32_t count = tile.count;
    if constexpr (IS_FLOAT<From> && IS_FLOAT<To>) {
      FloatToFloat(y, x, work, count);
    } else if constexpr (IS_FLOAT<From>) {
      FloatToInteger(y, x, work, count);
    } else if constexpr (IS_BYTE<From>) {
      FromByte(y, x, work, count);
    } else if constexpr (IsSameType<From, int16_t>::value) {
      FromShort(y, x, work, count);
    } else if constexpr (IS_FLOAT<To>) {
      LongToFloat(y, x, work, count);
    } else {
      LongToInteger(y, x, work, count);
    }
  }

 private:
  __aicore__ static inline void FloatToFloat(const LocalTensor<To>& y, const LocalTensor<From>& x, const Work& work,
                                             uint32_t count) {
    if constexpr (IsSameType<To, float>::value) {
      Cast(y, x, RoundMode::CAST_NONE, count);
    } else if constexpr (IsSameType<From, float>::value) {
      Cast(y, x, RoundMode::CAST_RINT, count);
    } else {
      LocalTensor<float> wide = work.Slot(0);
      Cast(wide, x, RoundMode::CAST_NONE, count);
      Cast(y, wide, RoundMode::CAST_RINT, count);
    }
  }

  __aicore__ static inline void FloatToInteger(const LocalTensor<To>& y, const LocalTensor<From>& x, const Work& work,
                                               uint32_t count) {
    if constexpr (IsSameType<From, float>::value) {
      WideToInteger(y, x, work, count);
    } else {
      LocalTensor<float> wide = work.Slot(0);
      Cast(wide, x, RoundMode::CAST_NONE, count);
      WideToInteger(y, wide, work, count);
    }
  }

  __aicore__ static inline void WideToInteger(const LocalTensor<To>& y, const LocalTensor<float>& x, const Work& work,
                                              uint32_t count) {
    if constexpr (IS_BYTE<To>) {
      LocalTensor<int16_t> whole = work.Slot<int16_t>(1);
      Cast(whole, x, RoundMode::CAST_TRUNC, count);
      ShortToByte(y, whole, work, count);
    } else {
      Cast(y, x, RoundMode::CAST_TRUNC, count);
    }
  }

  // Numbers that are known to fit.
  __aicore__ static inline void ShortToByte(const LocalTensor<To>& y, const LocalTensor<int16_t>& x, const Work& work,
                                            uint32_t count) {
    LocalTensor<half> small = work.Slot<half>(2);
    Cast(small, x, RoundMode::CAST_NONE, count);
    Cast(y, small, RoundMode::CAST_NONE, count);
  }

  __aicore__ static inline void FromByte(const LocalTensor<To>& y, const LocalTensor<From>& x, const Work& work,
                                         uint32_t count) {
    if constexpr (IsSameType<To, half>::value) {
      Cast(y, x, RoundMode::CAST_NONE, count);
    } else {
      LocalTensor<half> small = work.Slot<half>(0);
      Cast(small, x, RoundMode::CAST_NONE, count);
      if constexpr (IsSameType<To, float>::value) {
        Cast(y, small, RoundMode::CAST_NONE, count);
      } else if constexpr (IsSameType<To, bfloat16_t>::value || IsSameType<To, int64_t>::value) {
        LocalTensor<float> wide = work.Slot(1);
        Cast(wide, small, RoundMode::CAST_NONE, count);
        Cast(y, wide, RoundMode::CAST_RINT, count);
      } else {
        Cast(y, small, RoundMode::CAST_RINT, count);
      }
    }
  }

  __aicore__ static inline void FromShort(const LocalTensor<To>& y, const LocalTensor<int16_t>& x, const Work& work,
                                          uint32_t count) {
    if constexpr (IsSameType<To, half>::value) {
      Cast(y, x, RoundMode::CAST_RINT, count);
    } else if constexpr (IsSameType<To, float>::value) {
      Cast(y, x, RoundMode::CAST_NONE, count);
    } else if constexpr (IS_BYTE<To>) {
      LocalTensor<int16_t> low = work.Slot<int16_t>(0);
      if constexpr (IsSameType<To, uint8_t>::value) {
        LowBits(low.ReinterpretCast<uint16_t>(), x.template ReinterpretCast<uint16_t>(), 8, count);
      } else {
        LowBits(low, x, 8, count);
      }
      ShortToByte(y, low, work, count);
    } else {
      LocalTensor<float> wide = work.Slot(0);
      Cast(wide, x, RoundMode::CAST_NONE, count);
      Cast(y, wide, RoundMode::CAST_RINT, count);
    }
  }

  // From 32 or 64 bits.
  __aicore__ static inline void LongToFloat(const LocalTensor<To>& y, const LocalTensor<From>& x, const Work& work,
                                            uint32_t count) {
    if constexpr (IsSameType<To, float>::value) {
      Cast(y, x, RoundMode::CAST_RINT, count);
    } else {
      LocalTensor<float> wide = work.Slot(0);
      Cast(wide, x, RoundMode::CAST_RINT, count);
      Cast(y, wide, RoundMode::CAST_RINT, count);
    }
  }

  __aicore__ static inline void LongToInteger(const LocalTensor<To>& y, const LocalTensor<From>& x, const Work& work,
                                              uint32_t count) {
    if constexpr (IsSameType<To, int64_t>::value) {
      Cast(y, x, RoundMode::CAST_NONE, count);
    } else if constexpr (IsSameType<From, int32_t>::value) {
      WordToShorter(y, x, work, count);
    } else if constexpr (IsSameType<To, int32_t>::value) {
      LowWords(y, x, count);
    } else {
      LocalTensor<int32_t> words = work.Slot<int32_t>(3);
      LowWords(words, x, count);
      WordToShorter(y, words, work, count);
    }
  }

  __aicore__ static inline void LowWords(const LocalTensor<int32_t>& words, const LocalTensor<int64_t>& x,
                                         uint32_t count) {
    constexpr uint8_t even = 1;
    uint64_t kept = 0;
    GatherMask(words, x.ReinterpretCast<int32_t>(), even, true, 2 * count, {1, 1, 8, 0}, kept);
  }

  __aicore__ static inline void WordToShorter(const LocalTensor<To>& y, const LocalTensor<int32_t>& x, const Work& work,
                                              uint32_t count) {
    LocalTensor<int32_t> low = work.Slot<int32_t>(0);
    if constexpr (IsSameType<To, int16_t>::value) {
      LowBits(low, x, 16, count);
      Cast(y, low, RoundMode::CAST_NONE, count);
    } else {
      if constexpr (IsSameType<To, uint8_t>::value) {
        LowBits(low.ReinterpretCast<uint32_t>(), x.ReinterpretCast<uint32_t>(), 24, count);
      } else {
        LowBits(low, x, 24, count);
      }
      LocalTensor<int16_t> shorter = work.Slot<int16_t>(1);
      Cast(shorter, low, RoundMode::CAST_NONE, count);
      ShortToByte(y, shorter, work, count);
    }
  }

  // Drops `dropped` high bits; what is left has a sign where I has one.
  template <typename I>
  __aicore__ static inline void LowBits(const LocalTensor<I>& low, const LocalTensor<I>& x, int32_t dropped,
                                        uint32_t count) {
    ShiftLeft(low, x, static_cast<I>(dropped), static_cast<int32_t>(count));
    ShiftRight(low, low, static_cast<I>(dropped), static_cast<int32_t>(count));
  }
};

using From = typename StoredAs<DTYPE_X>::Type;
using To = typename StoredAs<DTYPE_Y>::Type;

extern "C" __global__ __aicore__ void cast_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
#if ORIG_DTYPE_Y == DT_BOOL
  NotZero<From> op;
  elementwise::Run(op, x, y, tilingData);
#elif (ORIG_DTYPE_X == DT_INT8 || ORIG_DTYPE_X == DT_UINT8 || ORIG_DTYPE_X == DT_BOOL) && \
    (ORIG_DTYPE_Y == DT_INT8 || ORIG_DTYPE_Y == DT_UINT8)
  // the same bits
  TPipe pipe;
  elementwise::Range range(tilingData);
  elementwise::Move<int8_t, elementwise::Range> move(range);
  move.Init(x, y, tilingData, &pipe);
  move.Process();
#else
  Conversion<From, To> op;
  elementwise::Run(op, x, y, tilingData);
#endif
}
