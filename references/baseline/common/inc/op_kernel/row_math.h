// float32 arithmetic over rows in the unified buffer: `rows` rows of `columns` elements, `stride` elements from one row
// to the next, a multiple of a block. Lanes between columns and stride are never part of a result.
#pragma once

#include "kernel_operator.h"

namespace rows {
constexpr uint32_t LANES = 64;           // float32 elements of one vector repeat
constexpr uint32_t LANES_PER_BLOCK = 8;  // float32 elements of one block
constexpr uint32_t MAX_REPEATS = 255;
constexpr uint32_t MAX_STRIDE_BLOCKS = 255;

// Comparisons and selections work on whole repeats: elements up to the end of the last one.
__aicore__ inline uint32_t WholeRepeats(uint32_t elements) { return (elements + LANES - 1) / LANES * LANES; }

// A stretch of columns of some rows.
struct Tile {
  uint64_t row = 0;  // in the tensor
  uint64_t column = 0;
  uint32_t rows = 1;
  uint32_t columns = 0;
  uint32_t stride = 0;

  // Elements from the first to the last.
  __aicore__ inline int32_t Count() const { return static_cast<int32_t>((rows - 1) * stride + columns); }

  // Is one instruction for each chunk of columns shorter than one for each row?
  __aicore__ inline bool ByColumns() const {
    return rows > 1 && rows <= MAX_REPEATS && stride / LANES_PER_BLOCK <= MAX_STRIDE_BLOCKS &&
           (columns + LANES - 1) / LANES <= rows;
  }

  __aicore__ inline uint64_t LanesAt(uint32_t first) const { return columns - first < LANES ? columns - first : LANES; }
};

using Floats = AscendC::LocalTensor<float>;

#define ROWS_BINARY(Name)                                                                                         \
  struct Name {                                                                                                   \
    __aicore__ inline void operator()(const Floats& dst, const Floats& a, const Floats& b, uint64_t lanes,        \
                                      uint8_t repeat, const AscendC::BinaryRepeatParams& params) const {          \
      AscendC::Name(dst, a, b, lanes, repeat, params);                                                            \
    }                                                                                                             \
    __aicore__ inline void operator()(const Floats& dst, const Floats& a, const Floats& b, int32_t count) const { \
      AscendC::Name(dst, a, b, count);                                                                            \
    }                                                                                                             \
  };
ROWS_BINARY(Add)
ROWS_BINARY(Sub)
ROWS_BINARY(Mul)
ROWS_BINARY(Div)
ROWS_BINARY(Max)
#undef ROWS_BINARY

// dst = op(x, vector), a vector with one element for each column.
template <typename Op>
__aicore__ inline void WithVector(Op op, const Floats& dst, const Floats& x, const Floats& vector, const Tile& tile) {
  if (!tile.ByColumns()) {
    for (uint32_t row = 0; row < tile.rows; ++row) {
      op(dst[row * tile.stride], x[row * tile.stride], vector, static_cast<int32_t>(tile.columns));
    }
    return;
  }
  const uint8_t stride = static_cast<uint8_t>(tile.stride / LANES_PER_BLOCK);
  for (uint32_t column = 0; column < tile.columns; column += LANES) {
    op(dst[column], x[column], vector[column], tile.LanesAt(column), static_cast<uint8_t>(tile.rows),
       {1, 1, 1, stride, stride, 0});
  }
}

// blocks: each element of `scalars` in all lanes of a block.
__aicore__ inline void Spread(const Floats& blocks, const Floats& scalars, uint32_t rows) {
  AscendC::Brcb(blocks, scalars, static_cast<uint8_t>((rows + LANES_PER_BLOCK - 1) / LANES_PER_BLOCK), {1, 8});
}

// dst = op(x, scalar of the row), which `blocks` holds spread.
template <typename Op>
__aicore__ inline void WithScalars(Op op, const Floats& dst, const Floats& x, const Floats& blocks, const Tile& tile) {
  if (tile.ByColumns()) {
    const uint8_t stride = static_cast<uint8_t>(tile.stride / LANES_PER_BLOCK);
    for (uint32_t column = 0; column < tile.columns; column += LANES) {
      op(dst[column], x[column], blocks, tile.LanesAt(column), static_cast<uint8_t>(tile.rows),
         {1, 1, 0, stride, stride, 1});
    }
    return;
  }
  const uint32_t full = tile.columns / LANES;
  const uint64_t rest = tile.columns % LANES;
  for (uint32_t row = 0; row < tile.rows; ++row) {
    const uint32_t start = row * tile.stride;
    const Floats scalar = blocks[row * LANES_PER_BLOCK];
    for (uint32_t chunk = 0; chunk < full; chunk += MAX_REPEATS) {
      const uint32_t repeat = full - chunk < MAX_REPEATS ? full - chunk : MAX_REPEATS;
      const uint32_t at = start + chunk * LANES;
      op(dst[at], x[at], scalar, LANES, static_cast<uint8_t>(repeat), {1, 1, 0, 8, 8, 0});
    }
    if (rest > 0) {
      const uint32_t at = start + full * LANES;
      op(dst[at], x[at], scalar, rest, 1, {1, 1, 0, 8, 8, 0});
    }
  }
}

struct SumOf {
  using Op = Add;
  static __aicore__ inline void Lanes(const Floats& dst, const Floats& src, uint64_t lanes, uint32_t rows,
                                      uint32_t stride) {
    AscendC::WholeReduceSum<float>(dst, src, static_cast<int32_t>(lanes), static_cast<int32_t>(rows), 1, 1,
                                   static_cast<int32_t>(stride));
  }
};
struct MaxOf {
  using Op = Max;
  static __aicore__ inline void Lanes(const Floats& dst, const Floats& src, uint64_t lanes, uint32_t rows,
                                      uint32_t stride) {
    AscendC::WholeReduceMax<float>(dst, src, static_cast<int32_t>(lanes), static_cast<int32_t>(rows), 1, 1,
                                   static_cast<int32_t>(stride), AscendC::ReduceOrder::ORDER_ONLY_VALUE);
  }
};

// dst[row] = sum or maximum of the row; `x` is overwritten. Rows are halved until they fit one repeat, all of them
// before the next time, so that no instruction needs what the last one leaves; many are reduced chunk by chunk.
template <typename Reduction>
__aicore__ inline void Reduce(const Floats& dst, const Floats& x, const Tile& tile) {
  typename Reduction::Op op;
  if (tile.ByColumns()) {
    const uint8_t stride = static_cast<uint8_t>(tile.stride / LANES_PER_BLOCK);
    for (uint32_t column = LANES; column < tile.columns; column += LANES) {
      op(x, x, x[column], tile.LanesAt(column), static_cast<uint8_t>(tile.rows), {1, 1, 1, stride, stride, stride});
    }
    Reduction::Lanes(dst, x, tile.LanesAt(0), tile.rows, stride);
    return;
  }
  uint32_t left = tile.columns;
  while (left > LANES) {
    uint32_t half = LANES;
    while (half * 2 < left) {
      half *= 2;
    }
    for (uint32_t row = 0; row < tile.rows; ++row) {
      const Floats values = x[row * tile.stride];
      op(values, values, values[half], static_cast<int32_t>(left - half));
    }
    left = half;
  }
  for (uint32_t row = 0; row < tile.rows; ++row) {
    Reduction::Lanes(dst[row], x[row * tile.stride], left, 1, 8);
  }
}

// The same, and `x` stays as it is.
template <typename Reduction>
__aicore__ inline void ReduceKeeping(const Floats& dst, const Floats& x, const Floats& scratch, const Tile& tile) {
  typename Reduction::Op op;
  const uint8_t stride = static_cast<uint8_t>(tile.stride / LANES_PER_BLOCK);
  if (tile.ByColumns()) {
    if (tile.columns <= LANES) {
      Reduction::Lanes(dst, x, tile.columns, tile.rows, stride);
      return;
    }
    uint32_t column = LANES;
    if (tile.LanesAt(LANES) < LANES) {
      AscendC::Adds(scratch, x, 0.0f, static_cast<uint64_t>(LANES), static_cast<uint8_t>(tile.rows),
                    {1, 1, stride, stride});
    } else {
      op(scratch, x, x[LANES], LANES, static_cast<uint8_t>(tile.rows), {1, 1, 1, stride, stride, stride});
      column += LANES;
    }
    for (; column < tile.columns; column += LANES) {
      op(scratch, scratch, x[column], tile.LanesAt(column), static_cast<uint8_t>(tile.rows),
         {1, 1, 1, stride, stride, stride});
    }
    Reduction::Lanes(dst, scratch, LANES, tile.rows, stride);
    return;
  }
  if (tile.columns <= LANES) {
    Reduce<Reduction>(dst, x, tile);
    return;
  }
  // Halved once on the way to the scratch; one number for each repeat would cost more than all halvings.
  Tile halved = tile;
  halved.columns = LANES;
  while (halved.columns * 2 < tile.columns) {
    halved.columns *= 2;
  }
  const uint32_t rest = tile.columns - halved.columns;
  const bool even = rest == halved.columns;
  for (uint32_t row = 0; !even && row < tile.rows; ++row) {
    AscendC::Adds(scratch[row * tile.stride], x[row * tile.stride], 0.0f, static_cast<int32_t>(halved.columns));
  }
  for (uint32_t row = 0; row < tile.rows; ++row) {
    const Floats values = x[row * tile.stride];
    const Floats half = scratch[row * tile.stride];
    op(half, even ? values : half, values[halved.columns], static_cast<int32_t>(rest));
  }
  Reduce<Reduction>(dst, scratch, halved);
}

// sums[column] += every row of x.
__aicore__ inline void AddRows(const Floats& sums, const Floats& x, const Tile& tile) {
  if (!tile.ByColumns()) {
    for (uint32_t row = 0; row < tile.rows; ++row) {
      AscendC::Add(sums, sums, x[row * tile.stride], static_cast<int32_t>(tile.columns));
    }
    return;
  }
  const uint8_t stride = static_cast<uint8_t>(tile.stride / LANES_PER_BLOCK);
  for (uint32_t column = 0; column < tile.columns; column += LANES) {
    AscendC::Add(sums[column], x[column], sums[column], tile.LanesAt(column), static_cast<uint8_t>(tile.rows),
                 {1, 1, 1, 0, stride, 0});
  }
}

// Type-blind moves of rows: `bytes` is the size of an element, `pitch` the elements from row to row in global memory.
__aicore__ inline uint32_t GapBlocks(const Tile& tile, uint32_t bytes) {
  return (tile.stride * bytes - (tile.columns * bytes + 31) / 32 * 32) / 32;
}

__aicore__ inline bool Contiguous(const Tile& tile, uint64_t pitch) {
  return tile.rows == 1 || (tile.columns == tile.stride && pitch == tile.columns);
}

__aicore__ inline void CopyIn(const AscendC::LocalTensor<uint8_t>& dst, const AscendC::GlobalTensor<uint8_t>& src,
                              const Tile& tile, uint32_t bytes, uint64_t pitch) {
  const AscendC::DataCopyPadExtParams<uint8_t> pad{};
  AscendC::DataCopyExtParams copy{1, tile.rows * tile.columns * bytes, 0, 0, 0};
  if (!Contiguous(tile, pitch)) {
    copy = {static_cast<uint16_t>(tile.rows), tile.columns * bytes,
            static_cast<uint32_t>((pitch - tile.columns) * bytes), GapBlocks(tile, bytes), 0};
  }
  AscendC::DataCopyPad(dst, src[(tile.row * pitch + tile.column) * bytes], copy, pad);
}

__aicore__ inline void CopyOut(const AscendC::GlobalTensor<uint8_t>& dst, const AscendC::LocalTensor<uint8_t>& src,
                               const Tile& tile, uint32_t bytes, uint64_t pitch) {
  AscendC::DataCopyExtParams copy{1, tile.rows * tile.columns * bytes, 0, 0, 0};
  if (!Contiguous(tile, pitch)) {
    copy = {static_cast<uint16_t>(tile.rows), tile.columns * bytes, GapBlocks(tile, bytes),
            static_cast<uint32_t>((pitch - tile.columns) * bytes), 0};
  }
  AscendC::DataCopyPad(dst[(tile.row * pitch + tile.column) * bytes], src, copy);
}

// float32 from T: the source itself where it is float32, else converted to `scratch`.
template <typename T>
__aicore__ inline Floats Widened(const AscendC::LocalTensor<uint8_t>& raw, const Floats& scratch, int32_t count) {
  const AscendC::LocalTensor<T> source = raw.template ReinterpretCast<T>();
  if constexpr (AscendC::IsSameType<T, float>::value) {
    return source;
  } else if constexpr (AscendC::IsSameType<T, int32_t>::value) {
    AscendC::Cast(scratch, source, AscendC::RoundMode::CAST_RINT, count);
    return scratch;
  } else {
    AscendC::Cast(scratch, source, AscendC::RoundMode::CAST_NONE, count);
    return scratch;
  }
}

// T from float32, rounded to nearest even.
template <typename T>
__aicore__ inline void Narrow(const AscendC::LocalTensor<T>& dst, const Floats& x, int32_t count) {
  if constexpr (AscendC::IsSameType<T, float>::value) {
    AscendC::Adds(dst, x, 0.0f, count);
  } else {
    AscendC::Cast(dst, x, AscendC::RoundMode::CAST_RINT, count);
  }
}

// The first element of a tensor in global memory, as float32.
template <typename T>
__aicore__ inline float ScalarOf(GM_ADDR address) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address), 1);
  if constexpr (AscendC::IsSameType<T, bfloat16_t>::value) {
    return AscendC::ToFloat(tensor.GetValue(0));
  } else {
    return static_cast<float>(tensor.GetValue(0));
  }
}

// What vector instructions have left in a local tensor.
__aicore__ inline float Read(AscendC::TPipe* pipe, const Floats& values, uint32_t index) {
  const event_t computed = static_cast<event_t>(pipe->FetchEventID(AscendC::HardEvent::V_S));
  AscendC::SetFlag<AscendC::HardEvent::V_S>(computed);
  AscendC::WaitFlag<AscendC::HardEvent::V_S>(computed);
  return values.GetValue(index);
}

// int8 from float32: rounded to nearest even, held within -128 and 127; `x` is overwritten.
__aicore__ inline void Quantise(const AscendC::LocalTensor<int8_t>& dst, const Floats& x, int32_t count) {
  AscendC::Cast(x, x, AscendC::RoundMode::CAST_RINT, count);
  AscendC::Mins(x, x, 127.0f, count);
  AscendC::Maxs(x, x, -128.0f, count);
  const AscendC::LocalTensor<half> small = x.template ReinterpretCast<half>();
  AscendC::Cast(small, x, AscendC::RoundMode::CAST_NONE, count);  // exact
  AscendC::Cast(dst, small, AscendC::RoundMode::CAST_RINT, count);
}
}  // namespace rows
