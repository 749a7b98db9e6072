// What losses of a classification have in common.
#pragma once

#include "op_kernel/core_sums.h"

// A long sum of scalars, added up in blocks so that few roundings meet large sums.
class BlockedSum {
 public:
  __aicore__ inline void Add(float value) {
    block_ += value;
    if (++count_ % BLOCK == 0) {
      sum_ += block_;
      block_ = 0.0f;
    }
  }
  __aicore__ inline float Value() { return sum_ + block_; }

 private:
  static constexpr uint32_t BLOCK = 16;
  float sum_ = 0.0f;
  float block_ = 0.0f;
  uint32_t count_ = 0;
};

// Samples of a classification: the class of each, its weight, and whether it counts.
class Samples {
 public:
  __aicore__ inline void Init(GM_ADDR target, GM_ADDR weight, bool weighted, int64_t ignored) {
    target_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(target));
    weight_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(weight));
    weighted_ = weighted;
    ignored_ = ignored;
  }

  __aicore__ inline int64_t Class(uint64_t sample) { return target_.GetValue(sample); }

  // A negative class to be ignored ignores nothing.
  __aicore__ inline bool Ignores(int64_t target) { return ignored_ >= 0 && target == ignored_; }

  // Of a sample of that class.
  __aicore__ inline float Weight(int64_t target) {
    if (Ignores(target)) {
      return 0.0f;
    }
    return weighted_ ? weight_.GetValue(static_cast<uint64_t>(target)) : 1.0f;
  }

 private:
  AscendC::GlobalTensor<int64_t> target_;
  AscendC::GlobalTensor<float> weight_;
  int64_t ignored_ = -1;
  bool weighted_ = false;
};
