// What both ways of the kernel share: the stretch of rows of one core, and float32 arithmetic over rows.
#pragma once

#include "kernel_operator.h"

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t BLOCK_BYTES = 32;
constexpr uint32_t BANK_SHIFT_BYTES = 32;    // makes neighbouring buffers start in different banks
constexpr uint32_t LANES = 64;               // float32 elements of one vector repeat
constexpr uint32_t LANES_PER_BLOCK = 8;      // float32 elements of one block
constexpr uint32_t MAX_REPEAT_STRIDE = 255;  // blocks

struct RowRange {
  uint64_t first;
  uint64_t count;
};

__aicore__ inline RowRange RowsOfCore(const RmsNormTilingData& tiling) {
  const uint64_t core = AscendC::GetBlockIdx();
  const uint64_t larger = tiling.largerCores;
  return {core * tiling.rowsPerCore + (core < larger ? core : larger), tiling.rowsPerCore + (core < larger ? 1 : 0)};
}

__aicore__ inline uint32_t AlignUp(uint32_t value, uint32_t unit) { return (value + unit - 1) / unit * unit; }

// sum[0] = sum of the first `count` elements of `values`, which are overwritten. Every lane adds one repeat after the
// other; then the lanes are added.
__aicore__ inline void SumOne(const AscendC::LocalTensor<float>& sum, const AscendC::LocalTensor<float>& values,
                              uint32_t count) {
  const uint32_t full = count / LANES;
  const uint32_t rest = count % LANES;
  if (full > 1) {
    AscendC::Add(values, values[LANES], values, static_cast<uint64_t>(LANES), static_cast<uint8_t>(full - 1),
                 {1, 1, 1, 0, 8, 0});
  }
  if (full > 0 && rest > 0) {
    AscendC::Add(values, values[full * LANES], values, static_cast<uint64_t>(rest), 1, {1, 1, 1, 8, 8, 8});
  }
  AscendC::WholeReduceSum<float>(sum, values, full > 0 ? LANES : rest, 1, 1, 1, 8);
}

// dst = x * block[0] over `count` elements; `block` holds the factor in each of its eight lanes.
__aicore__ inline void ScaleOne(const AscendC::LocalTensor<float>& dst, const AscendC::LocalTensor<float>& x,
                                const AscendC::LocalTensor<float>& block, uint32_t count) {
  const uint32_t full = count / LANES;
  const uint32_t rest = count % LANES;
  if (full > 0) {
    AscendC::Mul(dst, x, block, static_cast<uint64_t>(LANES), static_cast<uint8_t>(full), {1, 1, 0, 8, 8, 0});
  }
  if (rest > 0) {
    AscendC::Mul(dst[full * LANES], x[full * LANES], block, static_cast<uint64_t>(rest), 1, {1, 1, 0, 8, 8, 0});
  }
}

// rstd = 1 / sqrt(sum / columns + epsilon), by square root and division: Rsqrt is only an approximation.
__aicore__ inline void ReciprocalRoot(const AscendC::LocalTensor<float>& rstd, const AscendC::LocalTensor<float>& sum,
                                      const AscendC::LocalTensor<float>& ones, const RmsNormTilingData& tiling,
                                      int32_t count) {
  AscendC::Muls(sum, sum, tiling.reciprocal, count);
  AscendC::Adds(sum, sum, tiling.epsilon, count);
  AscendC::Sqrt(sum, sum, count);
  AscendC::Duplicate(ones, 1.0f, count);
  AscendC::Div(rstd, ones, sum, count);
}
