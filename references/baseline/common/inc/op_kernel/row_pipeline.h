// The way of working of operators that reduce rows or treat them one by one; the host side is op_host/row_tiling.h.
//
// An operator is a class `Op` that derives from RowPipeline<Op> and says
//   PASSES                how many reductions over a row follow one another,
//   Widen(tile)           inputs to float32 works,
//   Partial(pass, tile)   Sum or Maximum of works into row scalars,
//   Finish(pass, rows)    row scalars from what was summed up over the row,
//   Apply(pass, tile)     what the finished pass does to the works,
//   Output(tile)          works to outputs,
//   Early(tile)           widened works to early outputs, before any pass is applied.
// Rows that fit are taken several at a time. Longer rows come in tiles, once for each pass, or once only where their
// works (the first `KEPT`) fit as a whole.
#pragma once

#include "op_kernel/row_math.h"

using rows::Floats;
using rows::Tile;

template <typename Op>
class RowPipeline {
 public:
  __aicore__ inline void Process() {
    Allocate();
    Run();
    FinishColumnSums();
  }

 protected:
  // Buffers, and the share of this core: count_ rows from first_ on.
  __aicore__ inline void Allocate() {
    ShareOut();
    AllocateBuffers();
  }

  // Works on count_ rows from first_ on.
  __aicore__ inline void Run() {
    if (count_ == 0) {
      return;
    }
    if (tiling_->mode == WHOLE) {
      ProcessWhole();
    } else {
      ProcessTiles();
    }
  }

  static constexpr uint32_t WHOLE = 0;
  static constexpr uint32_t SPLIT = 1;
  static constexpr uint32_t RESIDENT = 2;
  static constexpr int32_t BUFFER_NUM = 2;
  static constexpr uint32_t BANK_SHIFT_BYTES = 32;  // neighbouring buffers start in different banks
  static constexpr uint32_t MAX_ROWS = 128;         // of a step that has row scalars
  static constexpr uint32_t SCALARS = 10;
  static constexpr uint32_t MAX_TENSORS = 6;
  static constexpr uint32_t COLUMN_SUMS = 0;  // an operator may say more
  static constexpr uint32_t KEPT = 0;
  static constexpr uint32_t WORKS = 0;
  static constexpr bool ROW_SCALARS = false;  // are there any without passes?
  using VectorType = float;                   // of all vectors, unless the operator has its own WidenVector

  __aicore__ inline void Partial(uint32_t, const Tile&) {}
  __aicore__ inline void Finish(uint32_t, uint32_t) {}
  __aicore__ inline void Apply(uint32_t, const Tile&) {}
  __aicore__ inline void Early(const Tile&) {}
  __aicore__ inline Floats WidenVector(uint32_t, const AscendC::LocalTensor<uint8_t>& raw, const Floats& scratch,
                                       int32_t count) {
    return rows::Widened<typename Op::VectorType>(raw, scratch, count);
  }

  __aicore__ inline void Start(const RowTiling& tiling, AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    pipe_ = pipe;
  }

  // What the operator works on, in the order in which it numbers them. `pitch` elements lie between the starts of rows.
  template <typename T>
  __aicore__ inline void AddInput(GM_ADDR address, uint64_t pitch, uint64_t offset = 0) {
    inputs_[inputCount_++] = Moved<T>(address, pitch, offset);
  }
  // One that only the output reads.
  template <typename T>
  __aicore__ inline void AddLateInput(GM_ADDR address, uint64_t pitch) {
    this->template AddInput<T>(address, pitch);
    inputs_[inputCount_ - 1].passes = Writing();
  }
  template <typename T>
  __aicore__ inline void AddOutput(GM_ADDR address, uint64_t pitch, uint64_t offset = 0) {
    outputs_[outputCount_++] = Moved<T>(address, pitch, offset);
  }
  template <typename T>
  __aicore__ inline void AddEarlyOutput(GM_ADDR address, uint64_t pitch) {
    earlies_[earlyCount_++] = Moved<T>(address, pitch, 0);
  }
  // A vector that all rows share, read in some passes (bit p: pass p). One of several where `pitch` is given: that of
  // row vectorRow_.
  template <typename T>
  __aicore__ inline void AddVector(GM_ADDR address, uint32_t passes, uint64_t pitch = 0, uint64_t offset = 0) {
    vectors_[vectorCount_] = Moved<T>(address, pitch, offset);
    vectors_[vectorCount_++].passes = passes;
    vectorPasses_ |= passes;
  }
  __aicore__ inline uint64_t TilesPerRow() { return (tiling_->columns + tiling_->stride - 1) / tiling_->stride; }
  // Passes that widen inputs; the output, which comes after all passes.
  __aicore__ inline uint32_t Widening() { return tiling_->mode == SPLIT ? (2u << Op::PASSES) - 1 : 1; }
  __aicore__ inline uint32_t Writing() { return 1u << Op::PASSES; }
  template <typename T = float>
  __aicore__ inline void AddScalarInput(GM_ADDR address) {
    scalarInputs_[scalarInputCount_++] = Moved<T>(address, 1, 0);
  }
  template <typename T = float>
  __aicore__ inline void AddScalarOutput(GM_ADDR address) {
    scalarOutputs_[scalarOutputCount_++] = Moved<T>(address, 1, 0);
  }
  // Float32 sums over all rows, of what AddToColumns is given.
  __aicore__ inline void AddColumnSum(GM_ADDR address) { columnSums_[columnSumCount_++] = Moved<float>(address, 1, 0); }
  __aicore__ inline void SetWorkspace(GM_ADDR workspace) { workspace_ = AscendC::GetUserWorkspace(workspace); }

  // Inside of the operator's functions.
  __aicore__ inline AscendC::LocalTensor<uint8_t> Raw(uint32_t input) { return input_[inputs_[input].offset]; }
  template <typename T>
  __aicore__ inline Floats Input(uint32_t input, const Floats& scratch, const Tile& tile) {
    return rows::Widened<T>(Raw(input), scratch, tile.Count());
  }
  template <typename T>
  __aicore__ inline AscendC::LocalTensor<T> OutputSlice(uint32_t output) {
    const AscendC::LocalTensor<uint8_t> slice = output_[outputs_[output].offset];
    return slice.template ReinterpretCast<T>();
  }
  template <typename T>
  __aicore__ inline AscendC::LocalTensor<T> EarlySlice(uint32_t output) {
    const AscendC::LocalTensor<uint8_t> slice = early_[earlies_[output].offset];
    return slice.template ReinterpretCast<T>();
  }
  __aicore__ inline Floats Work(uint32_t work) {
    const uint32_t offset =
        work < Op::KEPT ? work * keptLength_ + keptOffset_ : Op::KEPT * keptLength_ + (work - Op::KEPT) * workLength_;
    return works_.template Get<float>()[offset];
  }
  __aicore__ inline Floats Vector(uint32_t vector) { return vector_[vector]; }
  __aicore__ inline Floats Scalar(uint32_t scalar) { return scalars_.template Get<float>()[scalar * MAX_ROWS]; }
  __aicore__ inline Floats ScalarInput(uint32_t scalar) {
    const Floats floats = scalarIn_.template ReinterpretCast<float>();
    return floats[scalar * MAX_ROWS];
  }
  // Elements in the type of the tensor.
  template <typename T>
  __aicore__ inline AscendC::LocalTensor<T> ScalarInputSlice(uint32_t scalar) {
    const AscendC::LocalTensor<uint8_t> slice = scalarIn_[scalar * MAX_ROWS * sizeof(float)];
    return slice.template ReinterpretCast<T>();
  }
  template <typename T>
  __aicore__ inline AscendC::LocalTensor<T> ScalarOutputSlice(uint32_t scalar) {
    const AscendC::LocalTensor<uint8_t> slice = scalarOut_[scalar * MAX_ROWS * sizeof(float)];
    return slice.template ReinterpretCast<T>();
  }
  __aicore__ inline Floats ScalarOutput(uint32_t scalar) {
    const Floats floats = scalarOut_.template ReinterpretCast<float>();
    return floats[scalar * MAX_ROWS];
  }
  __aicore__ inline Floats Spread(const Floats& scalars, const Tile& tile) {
    const Floats blocks = blocks_.template Get<float>();
    rows::Spread(blocks, scalars, tile.rows);
    return blocks;
  }
  __aicore__ inline void Sum(const Floats& scalars, const Floats& values, const Tile& tile) {
    ReduceTile<rows::SumOf>(scalars, values, tile);
  }
  __aicore__ inline void Maximum(const Floats& scalars, const Floats& values, const Tile& tile) {
    ReduceTile<rows::MaxOf>(scalars, values, tile);
  }
  // The same without overwriting `values`.
  __aicore__ inline void SumKeeping(const Floats& scalars, const Floats& values, const Floats& scratch,
                                    const Tile& tile) {
    ReduceTileKeeping<rows::SumOf>(scalars, values, scratch, tile);
  }
  __aicore__ inline void MaximumKeeping(const Floats& scalars, const Floats& values, const Floats& scratch,
                                        const Tile& tile) {
    ReduceTileKeeping<rows::MaxOf>(scalars, values, scratch, tile);
  }
  __aicore__ inline void AddToColumns(uint32_t sum, const Floats& values, const Tile& tile) {
    if (tiling_->mode == WHOLE) {
      rows::AddRows(sums_.template Get<float>()[sum * sumLength_], values, tile);
    } else {
      const AscendC::LocalTensor<uint8_t> slice = output_[sumOffset_ + sum * sumBytes_];
      AscendC::Adds(slice.template ReinterpretCast<float>(), values, 0.0f, tile.Count());
    }
  }

  const RowTiling* tiling_ = nullptr;
  AscendC::TPipe* pipe_ = nullptr;
  uint64_t first_ = 0;  // row of this core, or tile of a row
  uint64_t count_ = 0;
  uint64_t vectorRow_ = 0;
  bool writes_ = true;  // are outputs stored?

  // Inputs and outputs start `elements` behind where they were added.
  __aicore__ inline void StartAt(uint64_t elements) {
    for (uint32_t i = 0; i < inputCount_; ++i) {
      inputs_[i].memory.SetGlobalBuffer(inputs_[i].address + elements * inputs_[i].bytes);
    }
    for (uint32_t i = 0; i < outputCount_; ++i) {
      outputs_[i].memory.SetGlobalBuffer(outputs_[i].address + elements * outputs_[i].bytes);
    }
  }

 private:
  struct Tensor {
    AscendC::GlobalTensor<uint8_t> memory;
    __gm__ uint8_t* address = nullptr;
    uint64_t pitch = 0;
    uint32_t bytes = 0;
    uint32_t offset = 0;           // of its slice in a buffer of the queue
    uint32_t passes = UINT32_MAX;  // that read it, where tiles are read once for each pass
  };

  template <typename T>
  __aicore__ inline Tensor Moved(GM_ADDR address, uint64_t pitch, uint64_t offset) {
    Tensor tensor;
    tensor.address = reinterpret_cast<__gm__ uint8_t*>(address) + offset * sizeof(T);
    tensor.memory.SetGlobalBuffer(tensor.address);
    tensor.pitch = pitch;
    tensor.bytes = sizeof(T);
    return tensor;
  }

  __aicore__ inline Op& Self() { return *static_cast<Op*>(this); }

  __aicore__ inline void ShareOut() {
    const uint64_t core = AscendC::GetBlockIdx();
    const uint64_t larger = tiling_->largerCores;
    first_ = core * tiling_->unitsPerCore + (core < larger ? core : larger);
    count_ = tiling_->unitsPerCore + (core < larger ? 1 : 0);
  }

  __aicore__ inline void AllocateBuffers() {
    const uint32_t elements = tiling_->bufferElements;
    const bool whole = tiling_->mode == WHOLE;
    uint32_t offset = 0;
    for (uint32_t i = 0; i < inputCount_; ++i) {
      offset = Place(inputs_[i], offset, elements);
    }
    for (uint32_t i = 0; i < vectorCount_; ++i) {
      vectors_[i].offset = 0;
      if (!whole) {
        offset = Place(vectors_[i], offset, elements);
      }
    }
    const uint32_t vectorBytes = vectorCount_ > 0 ? tiling_->stride * static_cast<uint32_t>(sizeof(float)) : 0;
    pipe_->InitBuffer(inQueue_, BUFFER_NUM, offset < vectorBytes ? vectorBytes : offset);

    offset = 0;
    for (uint32_t i = 0; i < outputCount_; ++i) {
      offset = Place(outputs_[i], offset, elements);
    }
    sumOffset_ = offset;
    sumBytes_ = elements * sizeof(float) + BANK_SHIFT_BYTES;
    if (!whole) {
      offset += columnSumCount_ * sumBytes_;
    }
    if (offset > 0) {
      pipe_->InitBuffer(outQueue_, BUFFER_NUM, offset);
    }

    offset = 0;
    for (uint32_t i = 0; i < earlyCount_; ++i) {
      offset = Place(earlies_[i], offset, elements);
    }
    if (offset > 0) {
      pipe_->InitBuffer(earlyQueue_, BUFFER_NUM, offset);
    }

    workLength_ = rows::WholeRepeats(elements) + BANK_SHIFT_BYTES / sizeof(float);
    keptLength_ = tiling_->mode == RESIDENT ? tiling_->keptElements + BANK_SHIFT_BYTES / sizeof(float) : workLength_;
    const uint32_t works = Op::KEPT * keptLength_ + (Op::WORKS - Op::KEPT) * workLength_;
    if constexpr (Op::WORKS > 0) {
      pipe_->InitBuffer(works_, works * sizeof(float));
    }
    if (vectorCount_ > 0) {
      pipe_->InitBuffer(vectorBuffer_, vectorCount_ * tiling_->stride * sizeof(float));
    }
    if (scalarInputCount_ > 0) {
      pipe_->InitBuffer(scalarInQueue_, BUFFER_NUM, scalarInputCount_ * MAX_ROWS * sizeof(float));
    }
    if (scalarOutputCount_ > 0) {
      pipe_->InitBuffer(scalarOutQueue_, BUFFER_NUM, scalarOutputCount_ * MAX_ROWS * sizeof(float));
    }
    if (Op::PASSES > 0 || Op::ROW_SCALARS) {
      pipe_->InitBuffer(scalars_, SCALARS * MAX_ROWS * sizeof(float));
      pipe_->InitBuffer(blocks_, MAX_ROWS * rows::LANES_PER_BLOCK * sizeof(float));
    }
    if constexpr (Op::COLUMN_SUMS > 0) {
      sumLength_ = tiling_->stride;
      if (whole) {
        pipe_->InitBuffer(sums_, columnSumCount_ * sumLength_ * sizeof(float));
        AscendC::Duplicate(sums_.template Get<float>(), 0.0f, static_cast<int32_t>(columnSumCount_ * sumLength_));
      }
      for (uint32_t i = 0; i < columnSumCount_; ++i) {
        partials_[i] = OwnPartial(i);
      }
    }
  }

  __aicore__ inline uint32_t Place(Tensor& tensor, uint32_t offset, uint32_t elements) {
    tensor.offset = offset;
    return offset + elements * tensor.bytes + BANK_SHIFT_BYTES;
  }

  template <typename Reduction>
  __aicore__ inline void ReduceTile(const Floats& scalars, const Floats& values, const Tile& tile) {
    if (tiling_->mode == WHOLE || tile.column == 0) {
      rows::Reduce<Reduction>(scalars, values, tile);
      return;
    }
    const Floats more = Scalar(SCALARS - 1);
    typename Reduction::Op op;
    rows::Reduce<Reduction>(more, values, tile);
    op(scalars, scalars, more, 1);
  }

  template <typename Reduction>
  __aicore__ inline void ReduceTileKeeping(const Floats& scalars, const Floats& values, const Floats& scratch,
                                           const Tile& tile) {
    if (tiling_->mode == WHOLE || tile.column == 0) {
      rows::ReduceKeeping<Reduction>(scalars, values, scratch, tile);
      return;
    }
    const Floats more = Scalar(SCALARS - 1);
    typename Reduction::Op op;
    rows::ReduceKeeping<Reduction>(more, values, scratch, tile);
    op(scalars, scalars, more, 1);
  }

  // ---- several rows at a time

  __aicore__ inline Tile StepAt(uint64_t row) {
    const uint64_t left = count_ - row;
    Tile tile;
    tile.row = first_ + row;
    tile.rows = left < tiling_->stepRows ? static_cast<uint32_t>(left) : tiling_->stepRows;
    tile.columns = static_cast<uint32_t>(tiling_->columns);
    tile.stride = tiling_->stride;
    return tile;
  }

  __aicore__ inline void ProcessWhole() {
    LoadVectors();
    LoadStep(StepAt(0));
    for (uint64_t row = 0; row < count_; row += tiling_->stepRows) {
      if (row + tiling_->stepRows < count_) {
        LoadStep(StepAt(row + tiling_->stepRows));
      }
      const Tile tile = StepAt(row);
      input_ = inQueue_.template DeQue<uint8_t>();
      ReceiveScalars();
      Self().Widen(tile);
      WriteEarly(tile);
      for (uint32_t pass = 0; pass < Op::PASSES; ++pass) {
        Self().Partial(pass, tile);
        Self().Finish(pass, tile.rows);
        Self().Apply(pass, tile);
      }
      WriteTile(tile);
      inQueue_.FreeTensor(input_);
      StoreScalars(tile);
    }
  }

  __aicore__ inline void LoadStep(const Tile& tile) {
    AscendC::LocalTensor<uint8_t> pack = inQueue_.template AllocTensor<uint8_t>();
    for (uint32_t i = 0; i < inputCount_; ++i) {
      rows::CopyIn(pack[inputs_[i].offset], inputs_[i].memory, tile, inputs_[i].bytes, inputs_[i].pitch);
    }
    inQueue_.EnQue(pack);
    LoadScalars(tile);
  }

  __aicore__ inline void LoadVectors() {
    Tile tile;
    tile.row = vectorRow_;
    tile.columns = static_cast<uint32_t>(tiling_->columns);
    tile.stride = tiling_->stride;
    for (uint32_t i = 0; i < vectorCount_; ++i) {
      AscendC::LocalTensor<uint8_t> raw = inQueue_.template AllocTensor<uint8_t>();
      rows::CopyIn(raw, vectors_[i].memory, tile, vectors_[i].bytes, vectors_[i].pitch);
      inQueue_.EnQue(raw);
      raw = inQueue_.template DeQue<uint8_t>();
      const Floats scratch = vectorBuffer_.template Get<float>()[i * tiling_->stride];
      const Floats wide = Self().WidenVector(i, raw, scratch, tile.Count());
      if (wide.GetPhyAddr() != scratch.GetPhyAddr()) {
        AscendC::Adds(scratch, wide, 0.0f, tile.Count());
      }
      vector_[i] = scratch;
      inQueue_.FreeTensor(raw);
    }
  }

  // ---- tiles of single rows: visit v is one tile of one pass of one row

  __aicore__ inline Tile TileAt(uint64_t visit) {
    const uint64_t tiles = TilesPerRow();
    Tile tile;
    tile.row = visit / (tiles * (Op::PASSES + 1));
    tile.column = visit % tiles * tiling_->stride;
    const uint64_t left = tiling_->columns - tile.column;
    tile.columns = left < tiling_->stride ? static_cast<uint32_t>(left) : tiling_->stride;
    tile.stride = tiling_->stride;
    return tile;
  }
  __aicore__ inline uint32_t PassAt(uint64_t visit) { return visit / TilesPerRow() % (Op::PASSES + 1); }
  __aicore__ inline bool ReadsRows(uint32_t pass) { return pass == 0 || tiling_->mode != RESIDENT; }
  __aicore__ inline bool ReadsVectors(uint32_t pass) { return (vectorPasses_ >> pass & 1) != 0; }
  __aicore__ inline bool Reads(const Tensor& tensor, uint32_t pass) { return (tensor.passes >> pass & 1) != 0; }

  __aicore__ inline void ProcessTiles() {
    const uint64_t visitsPerUnit = Op::PASSES == 0 ? 1 : (Op::PASSES + 1) * TilesPerRow();
    const uint64_t last = (first_ + count_) * visitsPerUnit;
    uint64_t loading = first_ * visitsPerUnit;
    for (int32_t ahead = 0; ahead < BUFFER_NUM - 1; ++ahead) {
      loading = LoadNext(loading, last);
    }
    for (uint64_t visit = first_ * visitsPerUnit; visit < last; ++visit) {
      const Tile tile = TileAt(visit);
      const uint32_t pass = PassAt(visit);
      const bool loads = ReadsRows(pass) || ReadsVectors(pass);
      if (loads) {
        loading = LoadNext(loading, last);
        input_ = inQueue_.template DeQue<uint8_t>();
      }
      if (pass == 0 && tile.column == 0) {
        LoadScalars(tile);
        ReceiveScalars();
      }
      keptOffset_ = tiling_->mode == RESIDENT ? static_cast<uint32_t>(tile.column) : 0;
      for (uint32_t i = 0; i < vectorCount_; ++i) {
        if (Reads(vectors_[i], pass)) {
          vector_[i] = Self().WidenVector(i, input_[vectors_[i].offset],
                                          vectorBuffer_.template Get<float>()[i * tiling_->stride], tile.Count());
        }
      }
      Compute(tile, pass);
      if (loads) {
        inQueue_.FreeTensor(input_);
      }
      if (pass == Op::PASSES && tile.column + tile.columns == tiling_->columns) {
        StoreScalars(tile);
      }
    }
  }

  __aicore__ inline void Compute(const Tile& tile, uint32_t pass) {
    if (ReadsRows(pass)) {
      Self().Widen(tile);
      if (pass == Op::PASSES || tiling_->mode == RESIDENT) {
        WriteEarly(tile);
      }
      for (uint32_t done = 0; done < pass; ++done) {
        Self().Apply(done, tile);
      }
    } else {
      Self().Apply(pass - 1, tile);
    }
    if (pass == Op::PASSES) {
      WriteTile(tile);
      return;
    }
    Self().Partial(pass, tile);
    if (tile.column + tile.columns == tiling_->columns) {
      Self().Finish(pass, 1);
    }
  }

  // Loads for the first visit from `visit` on that needs any; the visit after that.
  __aicore__ inline uint64_t LoadNext(uint64_t visit, uint64_t last) {
    while (visit < last && !ReadsRows(PassAt(visit)) && !ReadsVectors(PassAt(visit))) {
      ++visit;
    }
    if (visit >= last) {
      return visit;
    }
    const Tile tile = TileAt(visit);
    const uint32_t pass = PassAt(visit);
    AscendC::LocalTensor<uint8_t> pack = inQueue_.template AllocTensor<uint8_t>();
    if (ReadsRows(pass)) {
      for (uint32_t i = 0; i < inputCount_; ++i) {
        if (Reads(inputs_[i], pass)) {
          rows::CopyIn(pack[inputs_[i].offset], inputs_[i].memory, tile, inputs_[i].bytes, inputs_[i].pitch);
        }
      }
    }
    Tile shared = tile;
    shared.row = vectorRow_;
    for (uint32_t i = 0; i < vectorCount_; ++i) {
      if (Reads(vectors_[i], pass)) {
        rows::CopyIn(pack[vectors_[i].offset], vectors_[i].memory, shared, vectors_[i].bytes, vectors_[i].pitch);
      }
    }
    inQueue_.EnQue(pack);
    return visit + 1;
  }

  // ---- both

  __aicore__ inline void WriteTile(const Tile& tile) {
    if (!writes_ || (outputCount_ == 0 && columnSumCount_ == 0)) {
      Self().Output(tile);
      return;
    }
    output_ = outQueue_.template AllocTensor<uint8_t>();
    Self().Output(tile);
    outQueue_.EnQue(output_);
    output_ = outQueue_.template DeQue<uint8_t>();
    for (uint32_t i = 0; i < outputCount_; ++i) {
      rows::CopyOut(outputs_[i].memory, output_[outputs_[i].offset], tile, outputs_[i].bytes, outputs_[i].pitch);
    }
    if constexpr (Op::COLUMN_SUMS > 0) {
      if (tiling_->mode != WHOLE) {
        StoreColumns(tile);
      }
    }
    outQueue_.FreeTensor(output_);
  }

  __aicore__ inline void WriteEarly(const Tile& tile) {
    if (earlyCount_ == 0) {
      return;
    }
    early_ = earlyQueue_.template AllocTensor<uint8_t>();
    Self().Early(tile);
    earlyQueue_.EnQue(early_);
    early_ = earlyQueue_.template DeQue<uint8_t>();
    for (uint32_t i = 0; i < earlyCount_; ++i) {
      rows::CopyOut(earlies_[i].memory, early_[earlies_[i].offset], tile, earlies_[i].bytes, earlies_[i].pitch);
    }
    earlyQueue_.FreeTensor(early_);
  }

  // The scalars of the rows of `tile`, a rows x 1 tensor in global memory.
  __aicore__ inline Tile ScalarTile(const Tile& tile) {
    Tile scalars;
    scalars.column = tile.row;
    scalars.columns = tile.rows;
    scalars.stride = MAX_ROWS;
    return scalars;
  }

  __aicore__ inline void LoadScalars(const Tile& tile) {
    if (scalarInputCount_ == 0) {
      return;
    }
    AscendC::LocalTensor<uint8_t> pack = scalarInQueue_.template AllocTensor<uint8_t>();
    for (uint32_t i = 0; i < scalarInputCount_; ++i) {
      rows::CopyIn(pack[i * MAX_ROWS * sizeof(float)], scalarInputs_[i].memory, ScalarTile(tile),
                   scalarInputs_[i].bytes, 1);
    }
    scalarInQueue_.EnQue(pack);
  }

  __aicore__ inline void ReceiveScalars() {
    if (scalarInputCount_ > 0) {
      scalarIn_ = scalarInQueue_.template DeQue<uint8_t>();
    }
    if (scalarOutputCount_ > 0) {
      scalarOut_ = scalarOutQueue_.template AllocTensor<uint8_t>();
    }
  }

  __aicore__ inline void StoreScalars(const Tile& tile) {
    if (scalarInputCount_ > 0) {
      scalarInQueue_.FreeTensor(scalarIn_);
    }
    if (scalarOutputCount_ == 0) {
      return;
    }
    scalarOutQueue_.EnQue(scalarOut_);
    scalarOut_ = scalarOutQueue_.template DeQue<uint8_t>();
    for (uint32_t i = 0; i < scalarOutputCount_; ++i) {
      rows::CopyOut(scalarOutputs_[i].memory, scalarOut_[i * MAX_ROWS * sizeof(float)], ScalarTile(tile),
                    scalarOutputs_[i].bytes, 1);
    }
    scalarOutQueue_.FreeTensor(scalarOut_);
  }

  // ---- sums over all rows: each core leaves its own in the workspace, then each adds up a part of the columns

  __aicore__ inline uint64_t PartialLength() {
    return (tiling_->columns + rows::LANES - 1) / rows::LANES * rows::LANES;
  }

  __aicore__ inline AscendC::GlobalTensor<uint8_t> PartialOf(uint64_t core, uint32_t sum) {
    AscendC::GlobalTensor<uint8_t> partial;
    partial.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(workspace_) +
                            (core * columnSumCount_ + sum) * PartialLength() * sizeof(float));
    return partial;
  }

  // Where this core leaves its sums: at the end of the way where it is alone.
  __aicore__ inline AscendC::GlobalTensor<uint8_t> OwnPartial(uint32_t sum) {
    return AscendC::GetBlockNum() == 1 ? columnSums_[sum].memory : PartialOf(AscendC::GetBlockIdx(), sum);
  }

  __aicore__ inline void StoreColumns(const Tile& tile) {
    Tile shared = tile;
    shared.row = 0;
    if (tile.row != first_) {
      AscendC::SetAtomicAdd<float>();
    }
    for (uint32_t i = 0; i < columnSumCount_; ++i) {
      const AscendC::LocalTensor<uint8_t> slice = output_[sumOffset_ + i * sumBytes_];
      AscendC::GlobalTensor<float> partial;
      partial.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(const_cast<__gm__ uint8_t*>(partials_[i].GetPhyAddr())));
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(tile.columns * sizeof(float)), 0, 0, 0};
      AscendC::DataCopyPad(partial[tile.column], slice.template ReinterpretCast<float>(), copy);
    }
    if (tile.row != first_) {
      AscendC::SetAtomicNone();
    }
  }

  __aicore__ inline void FinishColumnSums() {
    if constexpr (Op::COLUMN_SUMS > 0) {
      if (tiling_->mode == WHOLE) {
        Tile tile;
        tile.columns = static_cast<uint32_t>(tiling_->columns);
        tile.stride = sumLength_;
        const event_t computed = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
        AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(computed);
        AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(computed);
        for (uint32_t i = 0; i < columnSumCount_; ++i) {
          const Floats sums = sums_.template Get<float>()[i * sumLength_];
          rows::CopyOut(partials_[i], sums.template ReinterpretCast<uint8_t>(), tile, sizeof(float), tiling_->columns);
        }
      }
      if (AscendC::GetBlockNum() > 1) {
        AscendC::PipeBarrier<PIPE_ALL>();
        AscendC::SyncAll();
        AddPartials();
      }
    }
  }

  __aicore__ inline void AddPartials() {
    constexpr uint32_t CHUNK = rows::LANES;
    const uint32_t cores = static_cast<uint32_t>(AscendC::GetBlockNum());
    pipe_->Reset();
    AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> parts;
    AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> sums;
    pipe_->InitBuffer(parts, BUFFER_NUM, cores * CHUNK * sizeof(float));
    pipe_->InitBuffer(sums, BUFFER_NUM, CHUNK * sizeof(float));
    for (uint64_t column = AscendC::GetBlockIdx() * CHUNK; column < tiling_->columns; column += cores * CHUNK) {
      for (uint32_t i = 0; i < columnSumCount_; ++i) {
        Tile tile;
        tile.column = column;
        tile.rows = cores;
        tile.columns = tiling_->columns - column < CHUNK ? static_cast<uint32_t>(tiling_->columns - column) : CHUNK;
        tile.stride = CHUNK;
        AscendC::LocalTensor<uint8_t> part = parts.template AllocTensor<uint8_t>();
        rows::CopyIn(part, PartialOf(0, i), tile, sizeof(float), columnSumCount_ * PartialLength());
        parts.EnQue(part);
        part = parts.template DeQue<uint8_t>();
        AscendC::LocalTensor<uint8_t> out = sums.template AllocTensor<uint8_t>();
        const Floats sum = out.template ReinterpretCast<float>();
        AscendC::Duplicate(sum, 0.0f, static_cast<int32_t>(CHUNK));
        rows::AddRows(sum, part.template ReinterpretCast<float>(), tile);
        parts.FreeTensor(part);
        sums.EnQue(out);
        out = sums.template DeQue<uint8_t>();
        tile.rows = 1;
        rows::CopyOut(columnSums_[i].memory, out, tile, sizeof(float), 1);
        sums.FreeTensor(out);
      }
    }
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> inQueue_;
  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> scalarInQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> outQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> earlyQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> scalarOutQueue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> works_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> vectorBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> scalars_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> blocks_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
  AscendC::LocalTensor<uint8_t> input_;  // of this step: all inputs, one behind the other
  AscendC::LocalTensor<uint8_t> output_;
  AscendC::LocalTensor<uint8_t> early_;
  AscendC::LocalTensor<uint8_t> scalarIn_;
  AscendC::LocalTensor<uint8_t> scalarOut_;
  Floats vector_[MAX_TENSORS];
  Tensor inputs_[MAX_TENSORS];
  Tensor outputs_[MAX_TENSORS];
  Tensor earlies_[MAX_TENSORS];
  Tensor vectors_[MAX_TENSORS];
  Tensor scalarInputs_[2];
  Tensor scalarOutputs_[2];
  Tensor columnSums_[2];
  AscendC::GlobalTensor<uint8_t> partials_[2];
  GM_ADDR workspace_ = nullptr;
  uint32_t inputCount_ = 0;
  uint32_t outputCount_ = 0;
  uint32_t earlyCount_ = 0;
  uint32_t vectorCount_ = 0;
  uint32_t vectorPasses_ = 0;
  uint32_t scalarInputCount_ = 0;
  uint32_t scalarOutputCount_ = 0;
  uint32_t columnSumCount_ = 0;
  uint32_t workLength_ = 0;
  uint32_t keptLength_ = 0;
  uint32_t keptOffset_ = 0;
  uint32_t sumLength_ = 0;
  uint32_t sumOffset_ = 0;
  uint32_t sumBytes_ = 0;
};
