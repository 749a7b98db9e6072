// The way of working of operators that move rows of bytes from place to place; the host side is op_host/row_moves.h. An
// operator is a class `Op` that derives from RowMoves<Op> and says
//   From(row)      where row `row` comes from, in rows; those from rowsWithSource_ on become 0,
//   ToBytes(row)   where it goes, in bytes; one behind the other if an operator does not say.
// It may surround the transfers of a step with BeginStore and EndStore. Transfers are of elements E, which rows consist
// of. Rows are asked for in ascending order. Rows that are equally far apart on one side are one transfer.
#pragma once

#include "kernel_operator.h"

template <typename Op, typename E = uint8_t>
class RowMoves {
 public:
  __aicore__ inline uint64_t ToBytes(uint64_t row) { return row * moves_->rowBytes; }

  // Around the transfers of one step.
  __aicore__ inline void BeginStore() {}
  __aicore__ inline void EndStore() {}

  __aicore__ inline void Process() {
    const uint64_t core = AscendC::GetBlockIdx();
    if (core >= moves_->cores) {
      return;
    }
    const uint64_t larger = moves_->largerCores;
    const uint64_t first = core * moves_->unitsPerCore + (core < larger ? core : larger);
    const uint64_t end = first + moves_->unitsPerCore + (core < larger ? 1 : 0);
    uint64_t loading = first;
    loading = Load(loading, end);
    for (uint64_t unit = first; unit < end;) {
      const uint64_t next = loading;
      if (loading < end) {
        loading = Load(loading, end);
      }
      Store(unit, static_cast<uint32_t>(next - unit));
      unit = next;
    }
  }

 protected:
  __aicore__ inline void Start(GM_ADDR source, GM_ADDR target, const RowMovesTiling& moves, AscendC::TPipe* pipe) {
    moves_ = &moves;
    source_.SetGlobalBuffer(reinterpret_cast<__gm__ E*>(source));
    target_.SetGlobalBuffer(reinterpret_cast<__gm__ E*>(target));
    pitch_ = (moves.pieceBytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    pipe->InitBuffer(queue_, BUFFER_NUM, moves.rowsPerStep * pitch_);
  }

  // Rows from `rows` on become 0.
  __aicore__ inline void ZeroFrom(uint64_t rows, AscendC::TPipe* pipe) {
    rowsWithSource_ = rows;
    pipe->InitBuffer(zeros_, pitch_);
    const AscendC::LocalTensor<int32_t> words = zeros_.Get<int32_t>();
    AscendC::Duplicate(words, 0, static_cast<int32_t>(pitch_ / sizeof(int32_t)));
    const event_t ready = static_cast<event_t>(pipe->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(ready);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(ready);
  }

  const RowMovesTiling* moves_ = nullptr;

 private:
  static constexpr int32_t BUFFER_NUM = 2;
  static constexpr uint32_t BLOCK_BYTES = 32;

  // A run of units that one transfer moves: a unit is a row, or a piece of a long one.
  struct Run {
    uint64_t offset = 0;  // bytes in global memory
    uint64_t apart = 0;   // bytes from one to the next
    uint32_t count = 1;
  };

  __aicore__ inline uint64_t OffsetOf(uint64_t unit, bool from) {
    const uint64_t row = unit / moves_->piecesPerRow;
    const uint64_t place = unit % moves_->piecesPerRow * moves_->pieceBytes;
    if (!from) {
      return static_cast<Op*>(this)->ToBytes(row) + place;
    }
    const uint64_t source = static_cast<Op*>(this)->From(row);
    return source * moves_->rowBytes + place;
  }

  // How many of `count` units come from somewhere.
  __aicore__ inline uint32_t FilledOf(uint64_t unit, uint32_t count) {
    if (unit >= rowsWithSource_ * moves_->piecesPerRow) {
      return 0;
    }
    const uint64_t left = rowsWithSource_ * moves_->piecesPerRow - unit;
    return left < count ? static_cast<uint32_t>(left) : count;
  }

  __aicore__ inline uint32_t BytesOf(uint64_t unit) {
    const uint64_t piece = unit % moves_->piecesPerRow;
    const uint64_t left = moves_->rowBytes - piece * moves_->pieceBytes;
    return left < moves_->pieceBytes ? static_cast<uint32_t>(left) : moves_->pieceBytes;
  }

  __aicore__ inline Run RunAt(uint64_t unit, uint32_t most, bool from) {
    Run run;
    run.offset = OffsetOf(unit, from);
    if (moves_->piecesPerRow > 1) {
      return run;
    }
    uint64_t last = run.offset;
    while (run.count < most) {
      const uint64_t next = OffsetOf(unit + run.count, from);
      const bool follows = next >= last + moves_->rowBytes && next - last < UINT32_MAX;
      if (!follows || (run.count > 1 && next - last != run.apart)) {
        break;
      }
      run.apart = next - last;
      last = next;
      ++run.count;
    }
    return run;
  }

  __aicore__ inline AscendC::DataCopyExtParams CopyOf(const Run& run, uint32_t bytes, bool from) {
    const uint32_t gap = run.count > 1 ? static_cast<uint32_t>(run.apart - bytes) : 0;
    return {static_cast<uint16_t>(run.count), bytes, from ? gap : 0, from ? 0 : gap, 0};
  }

  __aicore__ inline uint64_t Load(uint64_t unit, uint64_t end) {
    const uint64_t left = end - unit;
    const uint32_t count = left < moves_->rowsPerStep ? static_cast<uint32_t>(left) : moves_->rowsPerStep;
    const AscendC::DataCopyPadExtParams<E> pad{};
    AscendC::LocalTensor<E> rows = queue_.template AllocTensor<E>();
    const uint32_t filled = FilledOf(unit, count);
    for (uint32_t row = 0; row < filled;) {
      const Run run = RunAt(unit + row, filled - row, true);
      const AscendC::DataCopyExtParams copy = CopyOf(run, BytesOf(unit + row), true);
      AscendC::DataCopyPad(rows[row * pitch_ / sizeof(E)], source_[run.offset / sizeof(E)], copy, pad);
      row += run.count;
    }
    queue_.EnQue(rows);
    return unit + count;
  }

  __aicore__ inline void Store(uint64_t unit, uint32_t count) {
    AscendC::LocalTensor<E> rows = queue_.template DeQue<E>();
    const uint32_t filled = FilledOf(unit, count);
    static_cast<Op*>(this)->BeginStore();
    for (uint32_t row = 0; row < count;) {
      const Run run = RunAt(unit + row, row < filled ? filled - row : 1, false);
      const AscendC::DataCopyExtParams copy = CopyOf(run, BytesOf(unit + row), false);
      const AscendC::GlobalTensor<E> target = target_[run.offset / sizeof(E)];
      if (row < filled) {
        AscendC::DataCopyPad(target, rows[row * pitch_ / sizeof(E)], copy);
      } else {
        AscendC::DataCopyPad(target, zeros_.template Get<E>(), copy);
      }
      row += run.count;
    }
    static_cast<Op*>(this)->EndStore();
    queue_.FreeTensor(rows);
  }

  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, BUFFER_NUM> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> zeros_;
  AscendC::GlobalTensor<E> source_;
  AscendC::GlobalTensor<E> target_;
  uint64_t rowsWithSource_ = UINT32_MAX;  // any number of rows
  uint32_t pitch_ = 0;                    // bytes from row to row in the unified buffer
};
