// softmax(scale * queries keys^T) values. A tile is a few rows of queries with all keys that they see. The cube core
// of a group
// writes scores to the workspace, its two vector cores take half of the rows each and turn them into exponentials, the
// cube
// core multiplies these with the values, and the vector cores divide by the sums. While the vector cores work on one
// tile, the
// cube core multiplies the scores of the next; everything in the workspace is there twice.
#pragma once

#include "common/inc/op_kernel/mixed_product.h"

constexpr uint32_t TILE_ROWS = 64;
constexpr uint32_t FLOATS_PER_BLOCK = 8;
constexpr uint32_t ROWS_PER_SPREAD = 8;  // factors that one Brcb repeat spreads

// Flags between the cores of a group, two each: scores are there, exponentials are there, results are there.
constexpr uint16_t SCORES_READY = 0;
constexpr uint16_t POWERS_READY = 2;
constexpr uint16_t RESULTS_READY = 4;

struct AttentionTile {
  uint32_t rows, keys;
};

// `Operation` derives from this and has
//   Locate(tile): what a tile is, and that the calls below are about it
//   MultiplyScores(product, scores, stride), MultiplyValues(product, powers, stride, results, stride): on the cube core
//   StoreStatistics(max, sum, first, rows), StoreRows(results, part, first): rows from `first` of the tile on
template <typename Operation, typename T>
class Attention {
 public:
  __aicore__ inline void InitAttention(const AttentionPlan& plan, GM_ADDR workspace, TPipe* pipe) {
    plan_ = &plan;
    const uint64_t group = g_coreType == AIC ? GetBlockIdx() : GetBlockIdx() / GetTaskRatio();
    const uint64_t scores = static_cast<uint64_t>(TILE_ROWS) * plan.keyStride;
    const uint64_t results = static_cast<uint64_t>(TILE_ROWS) * plan.resultStride;
    GM_ADDR own = workspace + group * SLOTS * (scores * (sizeof(float) + sizeof(T)) + results * sizeof(float));
    scores_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(own), SLOTS * scores);
    results_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(own) + SLOTS * scores, SLOTS * results);
    powers_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(own + SLOTS * (scores + results) * sizeof(float)),
                            SLOTS * scores);
    if ASCEND_IS_AIC {
      product_.Init(plan.block, pipe);
    } else {
      pipe->InitBuffer(inQueue_, BUFFER_NUM, plan.tileLength * sizeof(float));
      pipe->InitBuffer(outQueue_, BUFFER_NUM, plan.tileLength * sizeof(T));
      pipe->InitBuffer(statisticsQueue_, 1, 2 * TILE_ROWS * 32);
      pipe->InitBuffer(maxBuffer_, TILE_ROWS * sizeof(float));
      pipe->InitBuffer(sumBuffer_, SLOTS * TILE_ROWS * sizeof(float));
      pipe->InitBuffer(spreadBuffer_, (TILE_ROWS + ROWS_PER_SPREAD) * 32);
      pipe->InitBuffer(workBuffer_, WORK_BYTES);
    }
  }

  __aicore__ inline void ProcessTiles(uint64_t tiles) {
    if ASCEND_IS_AIC {
      MultiplyAll(tiles);
    } else {
      NormaliseAll(tiles);
    }
  }

 protected:
  using Product = BlockProduct<T, float>;

 private:
  static constexpr uint32_t WORK_BYTES = 8 * 1024;

  __aicore__ inline Operation& Derived() { return *static_cast<Operation*>(this); }
  __aicore__ inline GlobalTensor<float> Scores(uint32_t slot) {
    return scores_[static_cast<uint64_t>(slot) * TILE_ROWS * plan_->keyStride];
  }
  __aicore__ inline GlobalTensor<T> Powers(uint32_t slot) {
    return powers_[static_cast<uint64_t>(slot) * TILE_ROWS * plan_->keyStride];
  }
  __aicore__ inline GlobalTensor<float> Results(uint32_t slot) {
    return results_[static_cast<uint64_t>(slot) * TILE_ROWS * plan_->resultStride];
  }

  // ---- cube core

  __aicore__ inline void MultiplyScores(uint64_t tile, uint16_t slot) {
    Derived().Locate(tile);
    Derived().MultiplyScores(product_, Scores(slot), plan_->keyStride);
    CrossCoreSetFlag<2, PIPE_FIX>(SCORES_READY + slot);
  }

  __aicore__ inline void MultiplyAll(uint64_t tiles) {
    uint32_t step = 0;
    product_.Begin();
    if (GetBlockIdx() < tiles) {
      MultiplyScores(GetBlockIdx(), 0);
    }
    for (uint64_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum(), ++step) {
      const uint16_t slot = static_cast<uint16_t>(step % SLOTS);
      if (tile + GetBlockNum() < tiles) {
        MultiplyScores(tile + GetBlockNum(), 1 - slot);
      }
      CrossCoreWaitFlag(POWERS_READY + slot);
      Derived().Locate(tile);
      Derived().MultiplyValues(product_, Powers(slot), plan_->keyStride, Results(slot), plan_->resultStride);
      CrossCoreSetFlag<2, PIPE_FIX>(RESULTS_READY + slot);
    }
    product_.End();
  }

  // ---- vector cores

  // The rows of a tile that this core takes.
  struct Share {
    uint32_t first, rows;
  };
  __aicore__ inline Share OwnShare(const AttentionTile& tile) {
    const uint32_t share = CeilDiv(tile.rows, static_cast<uint32_t>(GetTaskRatio()));
    const uint32_t first = Least(static_cast<uint32_t>(GetSubBlockIdx()) * share, tile.rows);
    return {first, Least(share, tile.rows - first)};
  }

  __aicore__ inline void NormaliseAll(uint64_t tiles) {
    uint32_t step = 0;
    const uint64_t start = GetBlockIdx() / GetTaskRatio();
    for (uint64_t tile = start; tile < tiles; tile += GetBlockNum(), ++step) {
      const uint16_t slot = static_cast<uint16_t>(step % SLOTS);
      const AttentionTile located = Derived().Locate(tile);
      CrossCoreWaitFlag(SCORES_READY + slot);
      Exponentiate(located, slot);
      CrossCoreSetFlag<2, PIPE_MTE3>(POWERS_READY + slot);
      if (step > 0) {
        Divide(tile - GetBlockNum(), 1 - slot);
      }
    }
    if (step > 0) {
      Divide(start + static_cast<uint64_t>(step - 1) * GetBlockNum(), static_cast<uint16_t>((step - 1) % SLOTS));
    }
  }

  __aicore__ inline void Exponentiate(const AttentionTile& tile, uint32_t slot) {
    const Share share = OwnShare(tile);
    const uint32_t stride = AlignUp(tile.keys, FRACTAL_ROWS);
    const uint32_t atOnce = Least(plan_->tileLength / stride, TILE_ROWS);
    const LocalTensor<float> max = maxBuffer_.template Get<float>();
    const LocalTensor<float> sum = sumBuffer_.template Get<float>()[slot * TILE_ROWS];
    for (uint32_t first = 0; first < share.rows; first += atOnce) {
      FinishTile part;
      part.rows = Least(atOnce, share.rows - first);
      part.columns = tile.keys;
      part.stride = stride;
      const uint64_t at = static_cast<uint64_t>(share.first + first) * plan_->keyStride;
      LocalTensor<float> rows = inQueue_.template AllocTensor<float>();
      CopyRowsIn(rows, Scores(slot)[at], part, plan_->keyStride);
      inQueue_.EnQue(rows);
      rows = inQueue_.template DeQue<float>();
      const int32_t length = static_cast<int32_t>(part.rows * stride);
      Muls(rows, rows, plan_->scale, length);
      const LocalTensor<float> work = workBuffer_.template Get<float>();
      for (uint32_t row = 0; row < part.rows; ++row) {
        ReduceMax(max[first + row], rows[row * stride], work, static_cast<int32_t>(tile.keys));
      }
      const LocalTensor<float> spread = Spread(max, first, part.rows);
      for (uint32_t row = 0; row < part.rows; ++row) {
        WithSpread<false>(rows[row * stride], spread[row * FLOATS_PER_BLOCK], tile.keys);
      }
      Exp(rows, rows, length);
      for (uint32_t row = 0; row < part.rows; ++row) {
        ReduceSum(sum[first + row], rows[row * stride], work, static_cast<int32_t>(tile.keys));
      }
      LocalTensor<T> powers = outQueue_.template AllocTensor<T>();
      Cast(powers, rows, RoundMode::CAST_RINT, static_cast<uint32_t>(length));
      inQueue_.FreeTensor(rows);
      outQueue_.EnQue(powers);
      powers = outQueue_.template DeQue<T>();
      CopyRowsOut(Powers(slot)[at], powers, part, plan_->keyStride);
      outQueue_.FreeTensor(powers);
    }
    if (share.rows != 0) {
      StoreStatistics(max, sum, share);
    }
  }

  __aicore__ inline void StoreStatistics(const LocalTensor<float>& max, const LocalTensor<float>& sum,
                                         const Share& share) {
    if constexpr (Operation::STORES_STATISTICS) {
      LocalTensor<float> statistics = statisticsQueue_.template AllocTensor<float>();
      const uint8_t repeats = static_cast<uint8_t>(CeilDiv(share.rows, ROWS_PER_SPREAD));
      Brcb(statistics, max, repeats, BrcbRepeatParams(1, 8));
      Brcb(statistics[TILE_ROWS * FLOATS_PER_BLOCK], sum, repeats, BrcbRepeatParams(1, 8));
      statisticsQueue_.EnQue(statistics);
      statistics = statisticsQueue_.template DeQue<float>();
      Derived().StoreStatistics(statistics, statistics[TILE_ROWS * FLOATS_PER_BLOCK], share.first, share.rows);
      statisticsQueue_.FreeTensor(statistics);
    }
  }

  __aicore__ inline void Divide(uint64_t number, uint16_t slot) {
    const AttentionTile tile = Derived().Locate(number);
    const Share share = OwnShare(tile);
    const uint32_t columns = plan_->resultColumns;
    const uint32_t stride = AlignUp(columns, FRACTAL_ROWS);
    const uint32_t atOnce = Least(plan_->tileLength / stride, TILE_ROWS);
    const LocalTensor<float> sum = sumBuffer_.template Get<float>()[slot * TILE_ROWS];
    CrossCoreWaitFlag(RESULTS_READY + slot);
    for (uint32_t first = 0; first < share.rows; first += atOnce) {
      FinishTile part;
      part.rows = Least(atOnce, share.rows - first);
      part.columns = columns;
      part.stride = stride;
      LocalTensor<float> rows = inQueue_.template AllocTensor<float>();
      CopyRowsIn(rows, Results(slot)[static_cast<uint64_t>(share.first + first) * plan_->resultStride], part,
                 plan_->resultStride);
      inQueue_.EnQue(rows);
      rows = inQueue_.template DeQue<float>();
      const LocalTensor<float> spread = Spread(sum, first, part.rows);
      for (uint32_t row = 0; row < part.rows; ++row) {
        WithSpread<true>(rows[row * stride], spread[row * FLOATS_PER_BLOCK], columns);
      }
      LocalTensor<T> out = outQueue_.template AllocTensor<T>();
      Cast(out, rows, RoundMode::CAST_RINT, part.rows * stride);
      inQueue_.FreeTensor(rows);
      outQueue_.EnQue(out);
      out = outQueue_.template DeQue<T>();
      Derived().StoreRows(out, part, share.first + first);
      outQueue_.FreeTensor(out);
    }
  }

  // Values from `first` on, each in all floats of a block of its own.
  __aicore__ inline LocalTensor<float> Spread(const LocalTensor<float>& values, uint32_t first, uint32_t count) {
    const LocalTensor<float> spread = spreadBuffer_.template Get<float>();
    const uint32_t skipped = first % ROWS_PER_SPREAD;
    Brcb(spread, values[first - skipped], static_cast<uint8_t>(CeilDiv(skipped + count, ROWS_PER_SPREAD)),
         BrcbRepeatParams(1, 8));
    return spread[skipped * FLOATS_PER_BLOCK];
  }

  // A row less a value, or divided by it.
  template <bool DIVIDES>
  __aicore__ inline void WithSpread(const LocalTensor<float>& row, const LocalTensor<float>& value, uint32_t columns) {
    const BinaryRepeatParams params(1, 1, 0, 8, 8, 0);
    const uint32_t whole = columns / VECTOR_LANES;
    const uint32_t rest = columns % VECTOR_LANES;
    if (whole != 0) {
      Apply<DIVIDES>(row, value, VECTOR_LANES, static_cast<uint8_t>(whole), params);
    }
    if (rest != 0) {
      Apply<DIVIDES>(row[whole * VECTOR_LANES], value, rest, 1, params);
    }
  }
  template <bool DIVIDES>
  __aicore__ inline void Apply(const LocalTensor<float>& row, const LocalTensor<float>& value, uint64_t lanes,
                               uint8_t repeats, const BinaryRepeatParams& params) {
    if constexpr (DIVIDES) {
      Div(row, row, value, lanes, repeats, params);
    } else {
      Sub(row, row, value, lanes, repeats, params);
    }
  }

  const AttentionPlan* plan_ = nullptr;
  Product product_;
  GlobalTensor<float> scores_, results_;
  GlobalTensor<T> powers_;
  TQue<TPosition::VECIN, BUFFER_NUM> inQueue_;
  TQue<TPosition::VECOUT, BUFFER_NUM> outQueue_;
  TQue<TPosition::VECOUT, 1> statisticsQueue_;
  TBuf<TPosition::VECCALC> maxBuffer_, sumBuffer_, spreadBuffer_, workBuffer_;
};
