// RmsNorm where not even one row fits the unified buffer: the tiles of a row are read twice, first for the sum of
// squares, then to be scaled.
#pragma once

#include "rms_norm_rows.h"

template <typename T, typename G>
class KernelRmsNormSplitRows {
  static constexpr bool WIDE = AscendC::IsSameType<T, float>::value;
  static constexpr bool WIDE_GAMMA = AscendC::IsSameType<G, float>::value;

 public:
  __aicore__ inline KernelRmsNormSplitRows() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, const RmsNormTilingData& tiling,
                              AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    const RowRange range = RowsOfCore(tiling);
    rows_ = range.count;
    columns_ = tiling.columns;
    step_ = tiling.tileColumns;

    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + range.first * columns_, rows_ * columns_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + range.first * columns_, rows_ * columns_);
    gammaGm_.SetGlobalBuffer(reinterpret_cast<__gm__ G*>(gamma), columns_);
    rstdGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(rstd) + range.first, rows_);

    pipe->InitBuffer(xQueue_, BUFFER_NUM, step_ * sizeof(T));
    pipe->InitBuffer(gammaQueue_, BUFFER_NUM, step_ * sizeof(G));
    pipe->InitBuffer(yQueue_, BUFFER_NUM, step_ * sizeof(T) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(rstdQueue_, 1, BLOCK_BYTES);
    pipe->InitBuffer(wideBuffer_, step_ * sizeof(float) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(sumsBuffer_, step_ * sizeof(float) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(sumBuffer_, BLOCK_BYTES);
    pipe->InitBuffer(onesBuffer_, BLOCK_BYTES);
    pipe->InitBuffer(blockBuffer_, BLOCK_BYTES * LANES_PER_BLOCK);
    if constexpr (!WIDE_GAMMA) {
      pipe->InitBuffer(gammaBuffer_, step_ * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    for (uint64_t row = 0; row < rows_; ++row) {
      LoadX(row, 0);
      for (uint64_t column = 0; column < columns_; column += step_) {
        if (column + step_ < columns_) {
          LoadX(row, column + step_);
        }
        Accumulate(column);
      }
      FinishSum(row);
      LoadX(row, 0);
      LoadGamma(0);
      for (uint64_t column = 0; column < columns_; column += step_) {
        if (column + step_ < columns_) {
          LoadX(row, column + step_);
          LoadGamma(column + step_);
        }
        Scale(column);
        Store(row, column);
      }
    }
  }

 private:
  __aicore__ inline uint32_t ColumnsAt(uint64_t column) {
    return columns_ - column < step_ ? static_cast<uint32_t>(columns_ - column) : step_;
  }

  __aicore__ inline void LoadX(uint64_t row, uint64_t column) {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(ColumnsAt(column) * sizeof(T)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{};
    AscendC::LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, xGm_[row * columns_ + column], copy, pad);
    xQueue_.EnQue(x);
  }

  __aicore__ inline void LoadGamma(uint64_t column) {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(ColumnsAt(column) * sizeof(G)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<G> pad{};
    AscendC::LocalTensor<G> gamma = gammaQueue_.template AllocTensor<G>();
    AscendC::DataCopyPad(gamma, gammaGm_[column], copy, pad);
    gammaQueue_.EnQue(gamma);
  }

  // Adds the squares of one tile to the running sums, element by element; the first tile is full and starts them.
  __aicore__ inline void Accumulate(uint64_t column) {
    const int32_t count = static_cast<int32_t>(ColumnsAt(column));
    AscendC::LocalTensor<float> sums = sumsBuffer_.template Get<float>();
    AscendC::LocalTensor<float> wide = wideBuffer_.template Get<float>();
    AscendC::LocalTensor<float> square = column == 0 ? sums : wide;
    AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
    if constexpr (WIDE) {
      AscendC::Mul(square, x, x, count);
    } else {
      AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, count);
      AscendC::Mul(square, wide, wide, count);
    }
    xQueue_.FreeTensor(x);
    if (column != 0) {
      AscendC::Add(sums, sums, wide, count);
    }
  }

  __aicore__ inline void FinishSum(uint64_t row) {
    AscendC::LocalTensor<float> sum = sumBuffer_.template Get<float>();
    AscendC::LocalTensor<float> ones = onesBuffer_.template Get<float>();
    AscendC::LocalTensor<float> blocks = blockBuffer_.template Get<float>();
    AscendC::LocalTensor<float> rstd = rstdQueue_.template AllocTensor<float>();
    SumOne(sum, sumsBuffer_.template Get<float>(), step_);
    ReciprocalRoot(rstd, sum, ones, *tiling_, 1);
    AscendC::Brcb(blocks, rstd, 1, {1, 8});
    rstdQueue_.EnQue(rstd);
    rstd = rstdQueue_.template DeQue<float>();
    const AscendC::DataCopyExtParams copy{1, sizeof(float), 0, 0, 0};
    AscendC::DataCopyPad(rstdGm_[row], rstd, copy);
    rstdQueue_.FreeTensor(rstd);
  }

  __aicore__ inline void Scale(uint64_t column) {
    const uint32_t count = ColumnsAt(column);
    AscendC::LocalTensor<float> blocks = blockBuffer_.template Get<float>();
    AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
    AscendC::LocalTensor<G> gamma = gammaQueue_.template DeQue<G>();
    AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    if constexpr (WIDE) {
      ScaleOne(y, x, blocks, count);
      AscendC::Mul(y, y, gamma, static_cast<int32_t>(count));
    } else {
      AscendC::LocalTensor<float> wide = wideBuffer_.template Get<float>();
      AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, count);
      ScaleOne(wide, wide, blocks, count);
      if constexpr (WIDE_GAMMA) {
        AscendC::Mul(wide, wide, gamma, static_cast<int32_t>(count));
      } else {
        AscendC::LocalTensor<float> wideGamma = gammaBuffer_.template Get<float>();
        AscendC::Cast(wideGamma, gamma, AscendC::RoundMode::CAST_NONE, count);
        AscendC::Mul(wide, wide, wideGamma, static_cast<int32_t>(count));
      }
      AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, count);
    }
    yQueue_.EnQue(y);
    gammaQueue_.FreeTensor(gamma);
    xQueue_.FreeTensor(x);
  }

  __aicore__ inline void Store(uint64_t row, uint64_t column) {
    AscendC::LocalTensor<T> y = yQueue_.template DeQue<T>();
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(ColumnsAt(column) * sizeof(T)), 0, 0, 0};
    AscendC::DataCopyPad(yGm_[row * columns_ + column], y, copy);
    yQueue_.FreeTensor(y);
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> xQueue_;
  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> gammaQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, 1> rstdQueue_;  // one value per row
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumsBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> onesBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> blockBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> gammaBuffer_;
  AscendC::GlobalTensor<T> xGm_;
  AscendC::GlobalTensor<T> yGm_;
  AscendC::GlobalTensor<G> gammaGm_;
  AscendC::GlobalTensor<float> rstdGm_;
  const RmsNormTilingData* tiling_ = nullptr;
  uint64_t rows_ = 0;
  uint32_t columns_ = 0;
  uint32_t step_ = 0;
};
