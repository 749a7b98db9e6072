// One block of a matrix product on a cube core: panels of a and b travel GM -> L1 -> L0, both steps double-buffered,
// and the sums stay in L0C until they are stored. Flags are raised and awaited in pairs: what is free at the start is
// free again at the end.
#pragma once

#include "kernel_operator.h"

using namespace AscendC;

constexpr uint32_t BUFFER_NUM = 2;
constexpr uint32_t FRACTAL_ROWS = 16;
constexpr uint32_t FRACTAL_BYTES = 512;
constexpr uint32_t MAX_ROW_STRIDE = 65535;   // elements between the rows of one Nd2Nz copy
constexpr int32_t L0_EVENT = 3;              // of M_MTE1: those before it are flags of the TPipe
constexpr uint32_t MMAD_NEEDS_BARRIER = 10;  // an accumulation over fewer fractals is not ordered by the hardware

__aicore__ inline uint32_t CeilDiv(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
__aicore__ inline uint32_t AlignUp(uint32_t a, uint32_t b) { return CeilDiv(a, b) * b; }
__aicore__ inline uint32_t Least(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Where a block lies: blocks computed together share rows of a in the L2 cache.
struct BlockPosition {
  uint32_t row, column;
};
__aicore__ inline BlockPosition PositionOf(uint64_t block, uint32_t blockRows, uint32_t blockColumns) {
  constexpr uint32_t rowsPerGroup = 4;
  const uint64_t groupSize = static_cast<uint64_t>(rowsPerGroup) * blockColumns;
  const uint32_t firstRow = static_cast<uint32_t>(block / groupSize) * rowsPerGroup;
  const uint32_t rows = Least(rowsPerGroup, blockRows - firstRow);
  const uint32_t inGroup = static_cast<uint32_t>(block % groupSize);
  return {firstRow + inGroup % rows, inGroup / rows};
}

// Extents of one block, and the elements between the rows of its matrices.
struct BlockExtents {
  uint32_t m, n, k, strideA, strideB;
  bool rowsOfB = false;  // b lies as [n, k]
};

// With a bias, one for each column of b, the sums start from it. With COLUMNS a lies as [k, m], rows one after the other,
// and is transposed on its way to L0.
template <typename T, typename Sum, bool HAS_BIAS = false, bool COLUMNS = false>
class BlockProduct {
 public:
  __aicore__ inline BlockProduct() {}

  __aicore__ inline void Init(const BlockPlan& plan, TPipe* pipe) {
    plan_ = &plan;
    pipe->InitBuffer(l1aBuffer_, BUFFER_NUM * plan.baseM * plan.tileK * sizeof(T));
    pipe->InitBuffer(l1bBuffer_, BUFFER_NUM * plan.tileK * plan.baseN * sizeof(T));
    pipe->InitBuffer(l0aBuffer_, BUFFER_NUM * plan.baseM * plan.baseK * sizeof(T));
    pipe->InitBuffer(l0bBuffer_, BUFFER_NUM * plan.baseK * plan.baseN * sizeof(T));
    pipe->InitBuffer(l0cBuffer_, plan.l0cBuffers * plan.baseM * plan.baseN * sizeof(Sum));
    for (uint32_t i = 0; i < BUFFER_NUM; ++i) {
      l1a_[i] = l1aBuffer_.Get<T>()[i * plan.baseM * plan.tileK];
      l1b_[i] = l1bBuffer_.Get<T>()[i * plan.tileK * plan.baseN];
      l0a_[i] = l0aBuffer_.Get<T>()[i * plan.baseM * plan.baseK];
      l0b_[i] = l0bBuffer_.Get<T>()[i * plan.baseK * plan.baseN];
    }
    if constexpr (HAS_BIAS) {
      pipe->InitBuffer(l1BiasBuffer_, AlignUp(plan.baseN, BIAS_UNIT) * sizeof(T));
      pipe->InitBuffer(biasTable_, AlignUp(plan.baseN, BIAS_UNIT) * sizeof(Sum));
    }
    for (uint32_t i = 0; i < plan.l0cBuffers; ++i) {
      l0c_[i] = l0cBuffer_.Get<Sum>()[i * plan.baseM * plan.baseN];
    }
  }

  // Declares every buffer free before the first block ...
  __aicore__ inline void Begin() {
    for (int32_t i = 0; i < static_cast<int32_t>(BUFFER_NUM); ++i) {
      SetFlag<HardEvent::MTE1_MTE2>(i);
      SetFlag<HardEvent::M_MTE1>(L0_EVENT + i);
    }
    for (int32_t i = 0; i < static_cast<int32_t>(plan_->l0cBuffers); ++i) {
      SetFlag<HardEvent::FIX_M>(i);
    }
    if constexpr (HAS_BIAS) {
      SetFlag<HardEvent::MTE1_MTE2>(BIAS_EVENT);
      SetFlag<HardEvent::M_MTE1>(L0_EVENT + BIAS_EVENT);
    }
  }

  // ... and takes the flags back after the last: a flag left standing would reach the next kernel.
  __aicore__ inline void End() {
    for (int32_t i = 0; i < static_cast<int32_t>(BUFFER_NUM); ++i) {
      WaitFlag<HardEvent::MTE1_MTE2>(i);
      WaitFlag<HardEvent::M_MTE1>(L0_EVENT + i);
    }
    for (int32_t i = 0; i < static_cast<int32_t>(plan_->l0cBuffers); ++i) {
      WaitFlag<HardEvent::FIX_M>(i);
    }
    if constexpr (HAS_BIAS) {
      WaitFlag<HardEvent::MTE1_MTE2>(BIAS_EVENT);
      WaitFlag<HardEvent::M_MTE1>(L0_EVENT + BIAS_EVENT);
    }
  }

  // Sums up a * b; Store has to follow.
  __aicore__ inline void Compute(const GlobalTensor<T>& a, const GlobalTensor<T>& b, const BlockExtents& extents) {
    BeginSum();
    Add(a, b, extents, true);
    EndSum();
  }

  // The same for a sum of several products.
  __aicore__ inline void BeginSum() { WaitFlag<HardEvent::FIX_M>(l0cIndex_); }

  __aicore__ inline void Add(const GlobalTensor<T>& a, const GlobalTensor<T>& b, const BlockExtents& extents,
                             bool first) {
    e_ = extents;
    for (uint32_t depth = 0; depth < e_.k;) {
      const uint32_t k = Least(plan_->tileK, e_.k - depth);
      WaitFlag<HardEvent::MTE1_MTE2>(l1Index_);
      LoadPanelA(a[COLUMNS ? static_cast<uint64_t>(depth) * e_.strideA : depth], k);
      LoadPanelB(b[e_.rowsOfB ? depth : static_cast<uint64_t>(depth) * e_.strideB], k);
      SetFlag<HardEvent::MTE2_MTE1>(l1Index_);
      WaitFlag<HardEvent::MTE2_MTE1>(l1Index_);
      for (uint32_t inner = 0; inner < k; inner += plan_->baseK) {
        Multiply(inner, first && depth + inner == 0, k);
      }
      SetFlag<HardEvent::MTE1_MTE2>(l1Index_);
      l1Index_ = 1 - l1Index_;
      depth += k;
    }
  }

  __aicore__ inline void EndSum() {
    SetFlag<HardEvent::M_FIX>(l0cIndex_);
    WaitFlag<HardEvent::M_FIX>(l0cIndex_);
  }

  __aicore__ inline void Compute(const GlobalTensor<T>& a, const GlobalTensor<T>& b, const GlobalTensor<T>& bias,
                                 const BlockExtents& extents) {
    e_ = extents;
    LoadBias(bias);
    Compute(a, b, extents);
  }

  template <typename D>
  __aicore__ inline void Store(const GlobalTensor<D>& c, uint32_t rowStride) {
    FixpipeParamsV220 params;
    params.nSize = static_cast<uint16_t>(e_.n);
    params.mSize = static_cast<uint16_t>(e_.m);
    params.srcStride = static_cast<uint16_t>(AlignUp(e_.m, FRACTAL_ROWS));
    params.dstStride = rowStride;
    params.ndNum = 1;
    params.srcNdStride = 0;
    params.dstNdStride = 0;
    params.quantPre = IsSameType<D, half>::value ? QuantMode_t::F322F16 : QuantMode_t::NoQuant;
    Fixpipe<D, Sum, CFG_ROW_MAJOR>(c, l0c_[l0cIndex_], params);
    SetFlag<HardEvent::FIX_M>(l0cIndex_);
    l0cIndex_ = plan_->l0cBuffers == BUFFER_NUM ? 1 - l0cIndex_ : 0;
  }

 private:
  static constexpr uint32_t WIDTH = 32 / sizeof(T);  // columns of a fractal
  static constexpr uint32_t FRACTAL_LENGTH = FRACTAL_BYTES / sizeof(T);
  // b is transposed on its way to L0 in squares: 16 x 16 of two and four bytes, 32 x 32 of one.
  static constexpr uint32_t SQUARE = WIDTH > FRACTAL_ROWS ? WIDTH : FRACTAL_ROWS;
  static constexpr uint32_t BIAS_UNIT = 64 / sizeof(T);  // elements of one copy to the bias table
  static constexpr int32_t BIAS_EVENT = BUFFER_NUM;

  // To the bias table, where it is float32.
  __aicore__ inline void LoadBias(const GlobalTensor<T>& bias) {
    const LocalTensor<T> l1Bias = l1BiasBuffer_.template Get<T>();
    WaitFlag<HardEvent::MTE1_MTE2>(BIAS_EVENT);
    LoadPanel(l1Bias, bias, 1, e_.n, e_.n, 1);
    SetFlag<HardEvent::MTE2_MTE1>(BIAS_EVENT);
    WaitFlag<HardEvent::MTE2_MTE1>(BIAS_EVENT);
    WaitFlag<HardEvent::M_MTE1>(L0_EVENT + BIAS_EVENT);
    DataCopyParams params;
    params.blockCount = 1;
    params.blockLen = static_cast<uint16_t>(CeilDiv(e_.n, BIAS_UNIT));
    DataCopy(biasTable_.template Get<Sum>(), l1Bias, params);
    SetFlag<HardEvent::MTE1_MTE2>(BIAS_EVENT);
  }

  __aicore__ inline void LoadPanelA(const GlobalTensor<T>& a, uint32_t k) {
    if constexpr (COLUMNS) {
      LoadPanel(l1a_[l1Index_], a, k, e_.m, e_.strideA, AlignUp(k, SQUARE));
      return;
    }
    // One row alone stays a plain vector, which is what the multiplication expects for m == 1.
    LoadPanel(l1a_[l1Index_], a, e_.m, k, e_.strideA, e_.m == 1 ? 1 : AlignUp(e_.m, FRACTAL_ROWS));
  }

  __aicore__ inline void LoadPanelB(const GlobalTensor<T>& b, uint32_t k) {
    if (e_.rowsOfB) {
      LoadPanel(l1b_[l1Index_], b, e_.n, k, e_.strideB, AlignUp(e_.n, FRACTAL_ROWS));
      return;
    }
    if constexpr (sizeof(T) != sizeof(float)) {
      LoadPanel(l1b_[l1Index_], b, k, e_.n, e_.strideB, AlignUp(k, SQUARE));
      return;
    }
    // Both fractals of a square of floats lie together: every 16 rows are a panel of their own.
    const uint32_t panelLength = SQUARE * AlignUp(e_.n, FRACTAL_ROWS);
    for (uint32_t row = 0; row < k; row += SQUARE) {
      const uint32_t rows = Least(SQUARE, k - row);
      LoadPanel(l1b_[l1Index_][row / SQUARE * panelLength], b[static_cast<uint64_t>(row) * e_.strideB], rows, e_.n,
                e_.strideB, SQUARE);
    }
  }

  // rows x columns of a row-major matrix as columns of fractals (NZ), `panelRows` rows each.
  __aicore__ inline void LoadPanel(const LocalTensor<T>& panel, const GlobalTensor<T>& matrix, uint32_t rows,
                                   uint32_t columns, uint32_t rowStride, uint32_t panelRows) {
    Nd2NzParams params;
    params.ndNum = 1;
    params.dValue = static_cast<uint16_t>(columns);
    params.srcNdMatrixStride = 0;
    params.dstNzC0Stride = static_cast<uint16_t>(panelRows);
    params.dstNzNStride = 1;
    params.dstNzMatrixStride = 0;
    if (rowStride <= MAX_ROW_STRIDE) {
      params.nValue = static_cast<uint16_t>(rows);
      params.srcDValue = static_cast<uint16_t>(rowStride);
      DataCopy(panel, matrix, params);
      return;
    }
    params.nValue = 1;
    params.srcDValue = static_cast<uint16_t>(columns);
    for (uint32_t i = 0; i < rows; ++i) {
      DataCopy(panel[i * WIDTH], matrix[static_cast<uint64_t>(i) * rowStride], params);
    }
  }

  // Adds the product of one step, `inner` columns of a into the panels of depth k.
  __aicore__ inline void Multiply(uint32_t inner, bool first, uint32_t k) {
    const uint32_t stepK = Least(plan_->baseK, k - inner);
    WaitFlag<HardEvent::M_MTE1>(L0_EVENT + l0Index_);
    LoadA(inner, stepK, k);
    LoadB(inner, stepK, k);
    SetFlag<HardEvent::MTE1_M>(l0Index_);
    WaitFlag<HardEvent::MTE1_M>(l0Index_);

    MmadParams params;
    // A transposed row is one of a fractal, not a plain vector.
    params.m = static_cast<uint16_t>(COLUMNS && e_.m == 1 ? FRACTAL_ROWS : e_.m);
    // Squares of bytes are two fractals wide; what is too much stays in L0C.
    params.n = static_cast<uint16_t>(sizeof(T) == 1 ? AlignUp(e_.n, SQUARE) : e_.n);
    params.k = static_cast<uint16_t>(stepK);
    params.cmatrixInitVal = first;
    params.cmatrixSource = false;
    if constexpr (HAS_BIAS) {
      if (first) {
        params.cmatrixInitVal = false;
        params.cmatrixSource = true;
        Mmad(l0c_[l0cIndex_], l0a_[l0Index_], l0b_[l0Index_], biasTable_.template Get<Sum>(), params);
        SetFlag<HardEvent::M_MTE1>(L0_EVENT + BIAS_EVENT);
      } else {
        Mmad(l0c_[l0cIndex_], l0a_[l0Index_], l0b_[l0Index_], params);
      }
    } else {
      Mmad(l0c_[l0cIndex_], l0a_[l0Index_], l0b_[l0Index_], params);
    }
    if ((e_.m / FRACTAL_ROWS) * (e_.n / FRACTAL_ROWS) < MMAD_NEEDS_BARRIER) {
      PipeBarrier<PIPE_M>();
    }
    SetFlag<HardEvent::M_MTE1>(L0_EVENT + l0Index_);
    l0Index_ = 1 - l0Index_;
  }

  // NZ -> ZZ: one column of fractals after the other, each spread over the rows of fractals.
  __aicore__ inline void LoadA(uint32_t inner, uint32_t stepK, uint32_t k) {
    if constexpr (COLUMNS) {
      TransposeA(inner, stepK, k);
      return;
    }
    LoadData2DParams params;
    if (e_.m == 1) {
      params.repeatTimes = static_cast<uint8_t>(CeilDiv(stepK, FRACTAL_LENGTH));
      params.srcStride = 1;
      LoadData(l0a_[l0Index_], l1a_[l1Index_][inner], params);
      return;
    }
    const uint32_t fractalRows = CeilDiv(e_.m, FRACTAL_ROWS);
    const uint32_t fractalColumns = CeilDiv(stepK, WIDTH);
    params.repeatTimes = static_cast<uint8_t>(fractalRows);
    params.srcStride = 1;
    params.dstGap = static_cast<uint16_t>(fractalColumns - 1);
    const LocalTensor<T> panel = l1a_[l1Index_][inner * fractalRows * FRACTAL_ROWS];
    for (uint32_t i = 0; i < fractalColumns; ++i) {
      LoadData(l0a_[l0Index_][i * FRACTAL_LENGTH], panel[i * fractalRows * FRACTAL_LENGTH], params);
    }
  }

  // NZ of [k, m] -> ZZ of [m, k]: every fractal, or square of bytes, is transposed on its way.
  __aicore__ inline void TransposeA(uint32_t inner, uint32_t stepK, uint32_t k) {
    const uint32_t squareRows = CeilDiv(e_.m, SQUARE);
    const uint32_t squareColumns = CeilDiv(stepK, SQUARE);
    const uint32_t panelSquares = CeilDiv(k, SQUARE);
    if constexpr (sizeof(T) == sizeof(half)) {
      LoadData2DParams params;
      params.repeatTimes = static_cast<uint8_t>(squareColumns);
      params.srcStride = 1;
      params.ifTranspose = true;
      for (uint32_t i = 0; i < squareRows; ++i) {
        LoadData(l0a_[l0Index_][i * squareColumns * FRACTAL_LENGTH],
                 l1a_[l1Index_][i * panelSquares * FRACTAL_LENGTH + inner * SQUARE], params);
      }
      return;
    }
    // both fractals of a turned square are rows of fractals of their own
    LoadData2dTransposeParams params;
    params.repeatTimes = static_cast<uint8_t>(squareColumns);
    params.srcStride = 1;
    params.dstFracGap = static_cast<uint16_t>(squareColumns - 1);
    for (uint32_t i = 0; i < squareRows; ++i) {
      params.startIndex = static_cast<uint16_t>(i * panelSquares + inner / SQUARE);
      LoadDataWithTranspose(l0a_[l0Index_][i * squareColumns * SQUARE * SQUARE], l1a_[l1Index_], params);
    }
  }

  // NZ -> ZN: every fractal, or square, is transposed on its way.
  __aicore__ inline void LoadB(uint32_t inner, uint32_t stepK, uint32_t k) {
    const uint32_t squareRows = CeilDiv(stepK, SQUARE);
    const uint32_t squareColumns = CeilDiv(e_.n, SQUARE);
    const LocalTensor<T>& l0b = l0b_[l0Index_];
    const LocalTensor<T>& panel = l1b_[l1Index_];
    if (e_.rowsOfB) {
      // [n, k] as columns of fractals is [k, n] as rows of transposed ones
      LoadData2DParams params;
      params.repeatTimes = static_cast<uint8_t>(CeilDiv(stepK, WIDTH) * CeilDiv(e_.n, FRACTAL_ROWS));
      params.srcStride = 1;
      LoadData(l0b, panel[inner * AlignUp(e_.n, FRACTAL_ROWS)], params);
      return;
    }
    if constexpr (sizeof(T) == sizeof(half)) {
      LoadData2DParams params;
      params.repeatTimes = static_cast<uint8_t>(squareColumns);
      params.srcStride = static_cast<uint16_t>(CeilDiv(k, SQUARE));
      params.ifTranspose = true;
      for (uint32_t i = 0; i < squareRows; ++i) {
        LoadData(l0b[i * squareColumns * FRACTAL_LENGTH], panel[inner * SQUARE + i * FRACTAL_LENGTH], params);
      }
      return;
    }
    LoadData2dTransposeParams params;
    params.repeatTimes = static_cast<uint8_t>(squareColumns);
    for (uint32_t i = 0; i < squareRows; ++i) {
      if constexpr (sizeof(T) == sizeof(float)) {
        params.startIndex = static_cast<uint16_t>((inner / SQUARE + i) * squareColumns);
        params.srcStride = 1;
        params.dstFracGap = static_cast<uint16_t>(squareColumns - 1);
      } else {
        params.startIndex = static_cast<uint16_t>(inner / SQUARE + i);
        params.srcStride = static_cast<uint16_t>(CeilDiv(k, SQUARE));
        params.dstGap = 1;
      }
      LoadDataWithTranspose(l0b[i * squareColumns * SQUARE * SQUARE], panel, params);
    }
  }

  TBuf<TPosition::A1> l1aBuffer_;
  TBuf<TPosition::B1> l1bBuffer_;
  TBuf<TPosition::A2> l0aBuffer_;
  TBuf<TPosition::B2> l0bBuffer_;
  TBuf<TPosition::CO1> l0cBuffer_;
  TBuf<TPosition::C1> l1BiasBuffer_;
  TBuf<TPosition::C2> biasTable_;
  LocalTensor<T> l1a_[BUFFER_NUM];
  LocalTensor<T> l1b_[BUFFER_NUM];
  LocalTensor<T> l0a_[BUFFER_NUM];
  LocalTensor<T> l0b_[BUFFER_NUM];
  LocalTensor<Sum> l0c_[BUFFER_NUM];
  const BlockPlan* plan_ = nullptr;
  BlockExtents e_{};
  int32_t l1Index_ = 0;
  int32_t l0Index_ = 0;
  int32_t l0cIndex_ = 0;
};

// A block, its place in the result, and the product of a group that it belongs to.
template <typename T>
struct LocatedBlock {
  GlobalTensor<T> a, b;
  BlockExtents extents;
  uint32_t row, column, group;
};

// Block `block` of the product of two whole matrices, whose extents and plan are in the tiling data.
template <typename T, typename Tiling>
__aicore__ inline LocatedBlock<T> LocateBlock(const Tiling& tiling, const GlobalTensor<T>& a, const GlobalTensor<T>& b,
                                              uint64_t block) {
  const BlockPosition position =
      PositionOf(block, CeilDiv(tiling.m, tiling.plan.baseM), CeilDiv(tiling.n, tiling.plan.baseN));
  LocatedBlock<T> located;
  located.row = position.row * tiling.plan.baseM;
  located.column = position.column * tiling.plan.baseN;
  located.group = 0;
  located.a = a[static_cast<uint64_t>(located.row) * tiling.k];
  located.b = b[located.column];
  located.extents.m = Least(tiling.plan.baseM, tiling.m - located.row);
  located.extents.n = Least(tiling.plan.baseN, tiling.n - located.column);
  located.extents.k = tiling.k;
  located.extents.strideA = tiling.k;
  located.extents.strideB = tiling.n;
  return located;
}
template <typename Tiling>
__aicore__ inline uint64_t CountBlocks(const Tiling& tiling) {
  return static_cast<uint64_t>(CeilDiv(tiling.m, tiling.plan.baseM)) * CeilDiv(tiling.n, tiling.plan.baseN);
}
