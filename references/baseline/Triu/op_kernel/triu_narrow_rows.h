// Triu where rows are short: a step takes any stretch of elements, whatever rows and matrices it cuts through. Row and
// column of each element come from float32 arithmetic on its index; all numbers stay far below 2^24 and are exact. A
// mask is kept as long as the stretches start at the same place of a matrix.
#pragma once

#include "kernel_operator.h"

template <typename T>
class KernelTriuNarrowRows {
  static constexpr int32_t BUFFER_NUM = 2;
  static constexpr uint32_t LANES = 64;             // float32 elements of one vector repeat
  static constexpr uint32_t BANK_SHIFT_BYTES = 32;  // makes the index buffers start in different banks
  static constexpr int64_t OUT_OF_REACH = 1 << 20;  // beyond any difference of column and row in one step

 public:
  __aicore__ inline KernelTriuNarrowRows() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const TriuTilingData& tiling, AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t core = AscendC::GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    const uint64_t units = tiling.unitsPerCore + (core < larger ? 1 : 0);
    first_ = (core * tiling.unitsPerCore + (core < larger ? core : larger)) * tiling.unitLength;
    const uint64_t left = tiling.totalLength - first_;
    end_ = first_ + (units * tiling.unitLength < left ? units * tiling.unitLength : left);
    matrixLength_ = tiling.matrixRows * tiling.matrixColumns;
    // A stretch that stays inside one matrix needs no remainder of the row.
    wraps_ = matrixLength_ <= tiling.bufferLength;

    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), tiling.totalLength);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), tiling.totalLength);
    const uint32_t wideBytes = tiling.bufferLength * sizeof(float) + BANK_SHIFT_BYTES;
    pipe->InitBuffer(xQueue_, BUFFER_NUM, tiling.bufferLength * sizeof(T));
    pipe->InitBuffer(yQueue_, BUFFER_NUM, tiling.bufferLength * sizeof(T));
    pipe->InitBuffer(rampBuffer_, wideBytes);
    pipe->InitBuffer(columnBuffer_, wideBytes);
    pipe->InitBuffer(rowBuffer_, wideBytes);
    pipe->InitBuffer(otherBuffer_, wideBytes);
    pipe->InitBuffer(keepBuffer_, tiling.bufferLength / 8);
  }

  __aicore__ inline void Process() {
    AscendC::CreateVecIndex(rampBuffer_.template Get<float>(), 0.0f, tiling_->tileLength);
    uint64_t offset = first_;
    Load(offset);
    while (offset < end_) {
      const uint32_t count = CountAt(offset);
      if (offset + count < end_) {
        Load(offset + count);
      }
      Compute(offset, count);
      Store(offset, count);
      offset += count;
    }
  }

 private:
  __aicore__ inline uint32_t CountAt(uint64_t offset) {
    uint64_t end = end_;
    if (!wraps_) {
      const uint64_t matrixEnd = (offset / matrixLength_ + 1) * matrixLength_;
      end = matrixEnd < end ? matrixEnd : end;
    }
    return end - offset < tiling_->tileLength ? static_cast<uint32_t>(end - offset) : tiling_->tileLength;
  }

  __aicore__ inline void Load(uint64_t offset) {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(CountAt(offset) * sizeof(T)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{};
    AscendC::LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, xGm_[offset], copy, pad);
    xQueue_.EnQue(x);
  }

  __aicore__ inline void Compute(uint64_t offset, uint32_t count) {
    AscendC::LocalTensor<uint8_t> keep = keepBuffer_.template Get<uint8_t>();
    const uint64_t place = offset % matrixLength_;
    if (count > keepCount_ || place != keepPlace_) {
      BuildMask(keep, place, count);
      keepPlace_ = place;
      keepCount_ = count;
    }
    AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
    AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    AscendC::Select(y, keep, x, static_cast<T>(0), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    yQueue_.EnQue(y);
    xQueue_.FreeTensor(x);
  }

  // keep[e] = 1 where element `place + e` of a matrix is on or above the diagonal.
  __aicore__ inline void BuildMask(const AscendC::LocalTensor<uint8_t>& keep, uint64_t place, uint32_t elements) {
    AscendC::LocalTensor<float> column = columnBuffer_.template Get<float>();
    AscendC::LocalTensor<float> row = rowBuffer_.template Get<float>();
    AscendC::LocalTensor<float> other = otherBuffer_.template Get<float>();
    const uint64_t columns = tiling_->matrixColumns;
    const int64_t firstRow = static_cast<int64_t>(place / columns);
    const float firstColumn = static_cast<float>(static_cast<int64_t>(place % columns));
    const int32_t count = static_cast<int32_t>(elements);

    // Halves keep the quotients away from whole numbers, where the rounded reciprocal could fall to the wrong side.
    AscendC::Adds(column, rampBuffer_.template Get<float>(), firstColumn + 0.5f, count);
    Divide(row, column, static_cast<float>(static_cast<int64_t>(columns)), count);
    AscendC::Muls(other, row, -static_cast<float>(static_cast<int64_t>(columns)), count);
    AscendC::Add(column, column, other, count);
    int64_t reach = tiling_->diagonal;
    if (wraps_) {
      const float rows = static_cast<float>(static_cast<int64_t>(tiling_->matrixRows));
      AscendC::Adds(row, row, static_cast<float>(firstRow) + 0.5f, count);
      Divide(other, row, rows, count);
      AscendC::Muls(other, other, -rows, count);
      AscendC::Add(row, row, other, count);
      AscendC::Adds(row, row, -0.5f, count);
    } else {
      reach += firstRow;
    }
    reach = reach < -OUT_OF_REACH ? -OUT_OF_REACH : (reach > OUT_OF_REACH ? OUT_OF_REACH : reach);
    AscendC::Sub(column, column, row, count);
    AscendC::CompareScalar(keep, column, static_cast<float>(reach) + 0.5f, AscendC::CMPMODE::GE,
                           (elements + LANES - 1) / LANES * LANES);
  }

  // quotient = floor(dividend / divisor)
  __aicore__ inline void Divide(const AscendC::LocalTensor<float>& quotient,
                                const AscendC::LocalTensor<float>& dividend, float divisor, int32_t count) {
    AscendC::Muls(quotient, dividend, 1.0f / divisor, count);
    AscendC::Cast(quotient, quotient, AscendC::RoundMode::CAST_FLOOR, static_cast<uint32_t>(count));
  }

  __aicore__ inline void Store(uint64_t offset, uint32_t count) {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    AscendC::LocalTensor<T> y = yQueue_.template DeQue<T>();
    AscendC::DataCopyPad(yGm_[offset], y, copy);
    yQueue_.FreeTensor(y);
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> xQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rampBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> columnBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rowBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> otherBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> keepBuffer_;
  AscendC::GlobalTensor<T> xGm_;
  AscendC::GlobalTensor<T> yGm_;
  const TriuTilingData* tiling_ = nullptr;
  uint64_t first_ = 0;
  uint64_t end_ = 0;
  uint64_t matrixLength_ = 0;
  uint64_t keepPlace_ = 0;
  uint32_t keepCount_ = 0;  // elements the mask holds
  bool wraps_ = false;
};
