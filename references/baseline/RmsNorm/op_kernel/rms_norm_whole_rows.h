// RmsNorm where at least one row fits the unified buffer: a step takes several rows at once. Rows start on block
// borders; the lanes up to the border are zero, so that they add nothing to the sums.
#pragma once

#include "rms_norm_rows.h"

template <typename T, typename G>
class KernelRmsNormWholeRows {
  static constexpr bool WIDE = AscendC::IsSameType<T, float>::value;
  static constexpr bool WIDE_GAMMA = AscendC::IsSameType<G, float>::value;

 public:
  __aicore__ inline KernelRmsNormWholeRows() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, const RmsNormTilingData& tiling,
                              AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    const RowRange range = RowsOfCore(tiling);
    rows_ = range.count;
    columns_ = tiling.columns;
    aligned_ = AlignUp(columns_, BLOCK_BYTES / sizeof(T));
    rowBlocks_ = aligned_ / LANES_PER_BLOCK;
    // One instruction per column chunk over all rows, or one per row over all chunks: whichever has more to repeat.
    byColumns_ = rowBlocks_ <= MAX_REPEAT_STRIDE && tiling.rowsPerTile >= aligned_ / LANES;

    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + range.first * columns_, rows_ * columns_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + range.first * columns_, rows_ * columns_);
    gammaGm_.SetGlobalBuffer(reinterpret_cast<__gm__ G*>(gamma), columns_);
    rstdGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(rstd) + range.first, rows_);

    const uint32_t elements = tiling.bufferRows * aligned_;
    const uint32_t rowFloats = AlignUp(tiling.bufferRows, LANES_PER_BLOCK) * sizeof(float);
    pipe->InitBuffer(xQueue_, BUFFER_NUM, elements * sizeof(T));
    pipe->InitBuffer(yQueue_, BUFFER_NUM, elements * sizeof(T));
    pipe->InitBuffer(rstdQueue_, BUFFER_NUM, rowFloats);
    pipe->InitBuffer(gammaQueue_, 1, aligned_ * sizeof(G) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(squareBuffer_, elements * sizeof(float));
    pipe->InitBuffer(sumBuffer_, rowFloats);
    pipe->InitBuffer(onesBuffer_, rowFloats);
    pipe->InitBuffer(blockBuffer_, rowFloats * LANES_PER_BLOCK);
    if constexpr (!WIDE) {
      pipe->InitBuffer(wideBuffer_, elements * sizeof(float) + BANK_SHIFT_BYTES);
    }
    if constexpr (!WIDE_GAMMA) {
      pipe->InitBuffer(gammaBuffer_, aligned_ * sizeof(float));
    }
  }

  __aicore__ inline void Process() {
    const uint32_t step = tiling_->rowsPerTile;
    LoadGamma();
    LoadX(0);
    AscendC::LocalTensor<G> gamma = gammaQueue_.template DeQue<G>();
    AscendC::LocalTensor<float> wideGamma = Widened(gamma);
    for (uint64_t row = 0; row < rows_; row += step) {
      if (row + step < rows_) {
        LoadX(row + step);
      }
      Compute(RowsAt(row), wideGamma);
      Store(row);
    }
    gammaQueue_.FreeTensor(gamma);
  }

 private:
  __aicore__ inline uint32_t RowsAt(uint64_t row) {
    return rows_ - row < tiling_->rowsPerTile ? static_cast<uint32_t>(rows_ - row) : tiling_->rowsPerTile;
  }

  __aicore__ inline void LoadGamma() {
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(columns_ * sizeof(G)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<G> pad{};
    AscendC::LocalTensor<G> gamma = gammaQueue_.template AllocTensor<G>();
    AscendC::DataCopyPad(gamma, gammaGm_, copy, pad);
    gammaQueue_.EnQue(gamma);
  }

  __aicore__ inline AscendC::LocalTensor<float> Widened(const AscendC::LocalTensor<G>& gamma) {
    if constexpr (WIDE_GAMMA) {
      return gamma;
    } else {
      AscendC::LocalTensor<float> wide = gammaBuffer_.template Get<float>();
      AscendC::Cast(wide, gamma, AscendC::RoundMode::CAST_NONE, columns_);
      return wide;
    }
  }

  // Rows without padding are one burst, others one burst each.
  __aicore__ inline AscendC::DataCopyExtParams RowCopy(uint32_t rows) {
    const uint32_t rowBytes = columns_ * sizeof(T);
    if (aligned_ == columns_) {
      return AscendC::DataCopyExtParams{1, rows * rowBytes, 0, 0, 0};
    }
    return AscendC::DataCopyExtParams{static_cast<uint16_t>(rows), rowBytes, 0, 0, 0};
  }

  __aicore__ inline void LoadX(uint64_t row) {
    AscendC::DataCopyPadExtParams<T> pad{};
    pad.isPad = aligned_ != columns_;
    pad.rightPadding = static_cast<uint8_t>(aligned_ - columns_);
    AscendC::LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, xGm_[row * columns_], RowCopy(RowsAt(row)), pad);
    xQueue_.EnQue(x);
  }

  __aicore__ inline void Compute(uint32_t rows, const AscendC::LocalTensor<float>& gamma) {
    const int32_t elements = static_cast<int32_t>(rows * aligned_);
    AscendC::LocalTensor<T> x = xQueue_.template DeQue<T>();
    AscendC::LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    if constexpr (WIDE) {
      Normalise(y, x, gamma, rows, elements);
      xQueue_.FreeTensor(x);
    } else {
      AscendC::LocalTensor<float> wide = wideBuffer_.template Get<float>();
      AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, elements);
      xQueue_.FreeTensor(x);
      Normalise(wide, wide, gamma, rows, elements);
      AscendC::Cast(y, wide, AscendC::RoundMode::CAST_RINT, elements);
    }
    yQueue_.EnQue(y);
  }

  __aicore__ inline void Normalise(const AscendC::LocalTensor<float>& y, const AscendC::LocalTensor<float>& x,
                                   const AscendC::LocalTensor<float>& gamma, uint32_t rows, int32_t elements) {
    AscendC::LocalTensor<float> square = squareBuffer_.template Get<float>();
    AscendC::LocalTensor<float> sum = sumBuffer_.template Get<float>();
    AscendC::LocalTensor<float> ones = onesBuffer_.template Get<float>();
    AscendC::LocalTensor<float> blocks = blockBuffer_.template Get<float>();
    AscendC::LocalTensor<float> rstd = rstdQueue_.template AllocTensor<float>();
    AscendC::Mul(square, x, x, elements);
    if (byColumns_) {
      SumByColumns(sum, square, rows);
    } else {
      for (uint32_t row = 0; row < rows; ++row) {
        SumOne(sum[row], square[row * aligned_], aligned_);
      }
    }
    ReciprocalRoot(rstd, sum, ones, *tiling_, static_cast<int32_t>(rows));
    AscendC::Brcb(blocks, rstd, static_cast<uint8_t>((rows + LANES_PER_BLOCK - 1) / LANES_PER_BLOCK), {1, 8});
    rstdQueue_.EnQue(rstd);
    if (byColumns_) {
      ScaleByColumns(y, x, blocks, gamma, rows);
    } else {
      for (uint32_t row = 0; row < rows; ++row) {
        AscendC::LocalTensor<float> yRow = y[row * aligned_];
        ScaleOne(yRow, x[row * aligned_], blocks[row * LANES_PER_BLOCK], aligned_);
        AscendC::Mul(yRow, yRow, gamma, static_cast<int32_t>(columns_));
      }
    }
  }

  __aicore__ inline uint64_t LanesAt(uint32_t column) { return aligned_ - column < LANES ? aligned_ - column : LANES; }

  __aicore__ inline void SumByColumns(const AscendC::LocalTensor<float>& sum, const AscendC::LocalTensor<float>& square,
                                      uint32_t rows) {
    const uint8_t repeat = static_cast<uint8_t>(rows);
    const uint8_t stride = static_cast<uint8_t>(rowBlocks_);
    for (uint32_t column = LANES; column < aligned_; column += LANES) {
      AscendC::Add(square, square[column], square, LanesAt(column), repeat, {1, 1, 1, stride, stride, stride});
    }
    AscendC::WholeReduceSum<float>(sum, square, static_cast<int32_t>(LanesAt(0)), repeat, 1, 1, stride);
  }

  __aicore__ inline void ScaleByColumns(const AscendC::LocalTensor<float>& y, const AscendC::LocalTensor<float>& x,
                                        const AscendC::LocalTensor<float>& blocks,
                                        const AscendC::LocalTensor<float>& gamma, uint32_t rows) {
    const uint8_t repeat = static_cast<uint8_t>(rows);
    const uint8_t stride = static_cast<uint8_t>(rowBlocks_);
    for (uint32_t column = 0; column < aligned_; column += LANES) {
      AscendC::Mul(y[column], x[column], blocks, LanesAt(column), repeat, {1, 1, 0, stride, stride, 1});
    }
    for (uint32_t column = 0; column < aligned_; column += LANES) {
      AscendC::Mul(y[column], y[column], gamma[column], LanesAt(column), repeat, {1, 1, 1, stride, stride, 0});
    }
  }

  __aicore__ inline void Store(uint64_t row) {
    const uint32_t rows = RowsAt(row);
    AscendC::LocalTensor<float> rstd = rstdQueue_.template DeQue<float>();
    const AscendC::DataCopyExtParams rstdCopy{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0};
    AscendC::DataCopyPad(rstdGm_[row], rstd, rstdCopy);
    rstdQueue_.FreeTensor(rstd);
    AscendC::LocalTensor<T> y = yQueue_.template DeQue<T>();
    AscendC::DataCopyPad(yGm_[row * columns_], y, RowCopy(rows));
    yQueue_.FreeTensor(y);
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> xQueue_;
  AscendC::TQue<AscendC::QuePosition::VECIN, 1> gammaQueue_;  // loaded once
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> rstdQueue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> squareBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> onesBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> blockBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> gammaBuffer_;
  AscendC::GlobalTensor<T> xGm_;
  AscendC::GlobalTensor<T> yGm_;
  AscendC::GlobalTensor<G> gammaGm_;
  AscendC::GlobalTensor<float> rstdGm_;
  const RmsNormTilingData* tiling_ = nullptr;
  uint64_t rows_ = 0;
  uint32_t columns_ = 0;
  uint32_t aligned_ = 0;    // elements from one row to the next in the unified buffer
  uint32_t rowBlocks_ = 0;  // the same in blocks of float32
  bool byColumns_ = false;
};
