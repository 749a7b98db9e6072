// Triu where rows are long: what stays of a row is moved through the unified buffer, the rest is written from a buffer
// of zeros. The excluded elements are never read.
#pragma once

#include "kernel_operator.h"

template <typename T>
class KernelTriuWideRows {
  static constexpr int32_t BUFFER_NUM = 2;

  // A segment of a row: `zeroed` elements from `offset` on become 0, `kept` elements behind them stay.
  struct Segment {
    uint64_t offset;
    uint32_t zeroed;
    uint32_t kept;
  };

 public:
  __aicore__ inline KernelTriuWideRows() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const TriuTilingData& tiling, AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    pipe_ = pipe;
    segments_ = tiling.totalLength / tiling.matrixColumns * tiling.segmentsPerRow;
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), tiling.totalLength);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), tiling.totalLength);
    pipe->InitBuffer(queue_, BUFFER_NUM, tiling.bufferLength * sizeof(T));
    pipe->InitBuffer(zeroBuffer_, tiling.bufferLength * sizeof(T));
  }

  __aicore__ inline void Process() {
    AscendC::LocalTensor<T> zeros = zeroBuffer_.template Get<T>();
    AscendC::Duplicate(zeros, static_cast<T>(0), static_cast<int32_t>(tiling_->tileLength));
    const int32_t zerosReady = static_cast<int32_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(zerosReady);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(zerosReady);

    const uint64_t cores = AscendC::GetBlockNum();
    uint64_t index = AscendC::GetBlockIdx();
    Segment next = SegmentAt(index);
    Load(next);
    for (; index < segments_; index += cores) {
      const Segment current = next;
      if (index + cores < segments_) {
        next = SegmentAt(index + cores);
        Load(next);
      }
      Store(current, zeros);
    }
  }

 private:
  __aicore__ inline Segment SegmentAt(uint64_t index) {
    const int64_t columns = static_cast<int64_t>(tiling_->matrixColumns);
    const uint64_t row = index / tiling_->segmentsPerRow;
    const int64_t start = static_cast<int64_t>(index % tiling_->segmentsPerRow) * tiling_->tileLength;
    const int64_t end = columns - start < tiling_->tileLength ? columns : start + tiling_->tileLength;
    const int64_t zerosOfRow = static_cast<int64_t>(row % tiling_->matrixRows) + tiling_->diagonal;
    const int64_t keptStart = zerosOfRow < start ? start : (zerosOfRow < end ? zerosOfRow : end);
    return {row * tiling_->matrixColumns + static_cast<uint64_t>(start), static_cast<uint32_t>(keptStart - start),
            static_cast<uint32_t>(end - keptStart)};
  }

  __aicore__ inline void Load(const Segment& segment) {
    if (segment.kept == 0) {
      return;
    }
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(segment.kept * sizeof(T)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<T> pad{};
    AscendC::LocalTensor<T> x = queue_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, xGm_[segment.offset + segment.zeroed], copy, pad);
    queue_.EnQue(x);
  }

  __aicore__ inline void Store(const Segment& segment, const AscendC::LocalTensor<T>& zeros) {
    if (segment.kept != 0) {
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(segment.kept * sizeof(T)), 0, 0, 0};
      AscendC::LocalTensor<T> y = queue_.template DeQue<T>();
      AscendC::DataCopyPad(yGm_[segment.offset + segment.zeroed], y, copy);
      queue_.FreeTensor(y);
    }
    if (segment.zeroed != 0) {
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(segment.zeroed * sizeof(T)), 0, 0, 0};
      AscendC::DataCopyPad(yGm_[segment.offset], zeros, copy);
    }
  }

  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, BUFFER_NUM> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> zeroBuffer_;
  AscendC::GlobalTensor<T> xGm_;
  AscendC::GlobalTensor<T> yGm_;
  const TriuTilingData* tiling_ = nullptr;
  AscendC::TPipe* pipe_ = nullptr;
  uint64_t segments_ = 0;
};
