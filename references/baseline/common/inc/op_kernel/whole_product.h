// c = a * b, float16 with float32 sums. Where the tiling says so, vector cores first copy a or b to rows that start
// on full bursts, and K is shared among cores, whose float32 sums vector cores add and round at the end.
#pragma once

#include "common/inc/op_kernel/block_product.h"

constexpr uint32_t COPY_LENGTH = 16384;  // float16 elements of one copy
constexpr uint32_t SUM_LENGTH = 4096;    // sums that are added at a time
constexpr uint32_t ROW_BLOCK = 16;       // float16 elements of 32 bytes
constexpr uint32_t MAX_ROWS = 4095;      // of one copy

class WholeProductKernel {
 public:
  __aicore__ inline WholeProductKernel() {}

  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, const WholeProduct& tiling,
                              TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t m = tiling.m;
    const uint64_t n = tiling.n;
    const uint64_t k = tiling.k;
    aGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(a), m * k);
    bGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(b), k * n);
    cGm_.SetGlobalBuffer(reinterpret_cast<__gm__ half*>(c), m * n);
    __gm__ half* free = reinterpret_cast<__gm__ half*>(workspace);
    paddedA_ = aGm_;
    paddedB_ = bGm_;
    if (PadsA()) {
      paddedA_.SetGlobalBuffer(free, m * tiling.strideA);
      free += m * tiling.strideA;
    }
    if (PadsB()) {
      paddedB_.SetGlobalBuffer(free, k * tiling.strideB);
      free += k * tiling.strideB;
    }
    if (tiling.parts > 1) {
      partsGm_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(free), tiling.parts * m * n);
    }
    if ASCEND_IS_AIC {
      product_.Init(tiling.plan, pipe);
    } else if (PadsA() || PadsB()) {
      pipe->InitBuffer(copyQueue_, BUFFER_NUM, COPY_LENGTH * sizeof(half));
    }
    if ASCEND_IS_AIV {
      if (tiling.parts > 1) {
        pipe->InitBuffer(partQueue_, BUFFER_NUM, SUM_LENGTH * sizeof(float));
        pipe->InitBuffer(outQueue_, BUFFER_NUM, SUM_LENGTH * sizeof(half));
        pipe->InitBuffer(sumBuffer_, SUM_LENGTH * sizeof(float));
      }
    }
  }

  // Cube cores alone.
  __aicore__ inline void Process() { Multiply(cGm_); }

  __aicore__ inline void ProcessAssisted() {
    if (PadsA() || PadsB()) {
      if ASCEND_IS_AIV {
        PadRows(paddedA_, aGm_, tiling_->m, tiling_->k, tiling_->strideA);
        PadRows(paddedB_, bGm_, tiling_->k, tiling_->n, tiling_->strideB);
      }
      SyncAll<false>();
    }
    if ASCEND_IS_AIC {
      if (tiling_->parts > 1) {
        Multiply(partsGm_);
      } else {
        Multiply(cGm_);
      }
    }
    if (tiling_->parts > 1) {
      SyncAll<false>();
      if ASCEND_IS_AIV {
        AddParts();
      }
    }
  }

 private:
  __aicore__ inline bool PadsA() const { return tiling_->strideA != tiling_->k; }
  __aicore__ inline bool PadsB() const { return tiling_->strideB != tiling_->n; }

  // Blocks of all parts of K, one part behind the other in `sums`.
  template <typename D>
  __aicore__ inline void Multiply(const GlobalTensor<D>& sums) {
    const uint32_t blockRows = CeilDiv(tiling_->m, tiling_->plan.baseM);
    const uint32_t blockColumns = CeilDiv(tiling_->n, tiling_->plan.baseN);
    const uint64_t blocksOfPart = static_cast<uint64_t>(blockRows) * blockColumns;
    product_.Begin();
    for (uint64_t block = GetBlockIdx(); block < blocksOfPart * tiling_->parts; block += GetBlockNum()) {
      const uint32_t part = static_cast<uint32_t>(block / blocksOfPart);
      const BlockPosition position = PositionOf(block % blocksOfPart, blockRows, blockColumns);
      const uint32_t row = position.row * tiling_->plan.baseM;
      const uint32_t column = position.column * tiling_->plan.baseN;
      const uint32_t depth = part * tiling_->partDepth;
      BlockExtents extents;
      extents.m = Least(tiling_->plan.baseM, tiling_->m - row);
      extents.n = Least(tiling_->plan.baseN, tiling_->n - column);
      extents.k = Least(tiling_->partDepth, tiling_->k - depth);
      extents.strideA = tiling_->strideA;
      extents.strideB = tiling_->strideB;
      product_.Compute(paddedA_[static_cast<uint64_t>(row) * tiling_->strideA + depth],
                       paddedB_[static_cast<uint64_t>(depth) * tiling_->strideB + column], extents);
      product_.Store(sums[(static_cast<uint64_t>(part) * tiling_->m + row) * tiling_->n + column], tiling_->n);
    }
    product_.End();
  }

  // Rows in turn to all vector cores; what is between the rows stays as it is, nobody reads it.
  __aicore__ inline void PadRows(const GlobalTensor<half>& to, const GlobalTensor<half>& from, uint32_t rows,
                                 uint32_t columns, uint32_t stride) {
    if (stride == columns) {
      return;
    }
    const uint32_t widest = AlignUp(Least(columns, COPY_LENGTH), ROW_BLOCK);
    const uint32_t cores = static_cast<uint32_t>(GetBlockNum() * GetTaskRatio());
    const uint32_t rowsAtOnce = Least(Least(COPY_LENGTH / widest, MAX_ROWS), CeilDiv(rows, cores));
    for (uint64_t row = GetBlockIdx() * rowsAtOnce; row < rows; row += static_cast<uint64_t>(cores) * rowsAtOnce) {
      const uint32_t count = Least(rowsAtOnce, rows - static_cast<uint32_t>(row));
      for (uint32_t column = 0; column < columns; column += COPY_LENGTH) {
        const uint32_t width = Least(COPY_LENGTH, columns - column);
        LocalTensor<half> part = copyQueue_.AllocTensor<half>();
        const uint16_t bursts = static_cast<uint16_t>(count);
        DataCopyExtParams in(bursts, width * sizeof(half), (columns - width) * sizeof(half), 0, 0);
        DataCopyPad(part, from[row * columns + column], in, DataCopyPadExtParams<half>{false, 0, 0, 0});
        copyQueue_.EnQue(part);
        part = copyQueue_.DeQue<half>();
        DataCopyExtParams out(bursts, width * sizeof(half), 0, (stride - width) * sizeof(half), 0);
        DataCopyPad(to[row * stride + column], part, out);
        copyQueue_.FreeTensor(part);
      }
    }
  }

  __aicore__ inline void AddParts() {
    const uint64_t length = static_cast<uint64_t>(tiling_->m) * tiling_->n;
    const uint64_t step = static_cast<uint64_t>(GetBlockNum()) * GetTaskRatio() * SUM_LENGTH;
    const LocalTensor<float> sums = sumBuffer_.Get<float>();
    for (uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * SUM_LENGTH; first < length; first += step) {
      const uint32_t count = length - first < SUM_LENGTH ? static_cast<uint32_t>(length - first) : SUM_LENGTH;
      for (uint32_t part = 0; part < tiling_->parts; ++part) {
        LocalTensor<float> addend = partQueue_.AllocTensor<float>();
        DataCopyExtParams in(1, count * sizeof(float), 0, 0, 0);
        DataCopyPad(addend, partsGm_[part * length + first], in, DataCopyPadExtParams<float>{false, 0, 0, 0});
        partQueue_.EnQue(addend);
        addend = partQueue_.DeQue<float>();
        if (part == 0) {
          Adds(sums, addend, 0.0f, count);
        } else {
          Add(sums, sums, addend, count);
        }
        partQueue_.FreeTensor(addend);
      }
      LocalTensor<half> result = outQueue_.AllocTensor<half>();
      Cast(result, sums, RoundMode::CAST_RINT, count);
      outQueue_.EnQue(result);
      result = outQueue_.DeQue<half>();
      DataCopyExtParams out(1, count * sizeof(half), 0, 0, 0);
      DataCopyPad(cGm_[first], result, out);
      outQueue_.FreeTensor(result);
    }
  }

  BlockProduct<half, float> product_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, BUFFER_NUM> copyQueue_;
  TQue<TPosition::VECIN, BUFFER_NUM> partQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TBuf<TPosition::VECCALC> sumBuffer_;
  GlobalTensor<half> aGm_;
  GlobalTensor<half> bGm_;
  GlobalTensor<half> cGm_;
  GlobalTensor<half> paddedA_;
  GlobalTensor<half> paddedB_;
  GlobalTensor<float> partsGm_;
  const WholeProduct* tiling_ = nullptr;
};
