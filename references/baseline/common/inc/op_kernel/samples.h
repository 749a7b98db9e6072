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

// Samples of a classification: the class of each, its weight, and whether it counts. Single elements of global memory
// are slow: weights that fit are copied once, classes are read one behind the other.
class Samples {
 public:
  static constexpr uint32_t AT_ONCE = 128;

  __aicore__ inline void Init(GM_ADDR target, GM_ADDR weight, uint32_t localWeights, int64_t ignored, bool weighted,
                              AscendC::TPipe* pipe) {
    target_.SetGlobalBuffer(reinterpret_cast<__gm__ int64_t*>(target));
    weight_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(weight));
    weighted_ = weighted;
    ignored_ = ignored;
    localWeights_ = localWeights != 0;
    if (localWeights_) {
      pipe->InitBuffer(weights_, localWeights * sizeof(float));
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(localWeights * sizeof(float)), 0, 0, 0};
      AscendC::DataCopyPad(weights_.Get<float>(), weight_, copy, AscendC::DataCopyPadExtParams<float>{});
      const event_t loaded = static_cast<event_t>(pipe->FetchEventID(AscendC::HardEvent::MTE2_S));
      AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(loaded);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(loaded);
    }
  }

  // The next calls of Class are about `count` samples from `first` on, AT_ONCE at most.
  __aicore__ inline void Load(uint64_t first, uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      classes_[i] = target_.GetValue(first + i);
    }
  }

  __aicore__ inline int64_t Class(uint32_t sample) const { return classes_[sample]; }

  // A negative class to be ignored ignores nothing.
  __aicore__ inline bool Ignores(int64_t target) const { return ignored_ >= 0 && target == ignored_; }

  // Of a sample of that class.
  __aicore__ inline float Weight(int64_t target) {
    if (Ignores(target)) {
      return 0.0f;
    }
    if (!weighted_) {
      return 1.0f;
    }
    return localWeights_ ? weights_.Get<float>().GetValue(static_cast<uint32_t>(target))
                         : weight_.GetValue(static_cast<uint64_t>(target));
  }

 private:
  AscendC::GlobalTensor<int64_t> target_;
  AscendC::GlobalTensor<float> weight_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> weights_;
  int64_t classes_[AT_ONCE];
  int64_t ignored_ = -1;
  bool weighted_ = false;
  bool localWeights_ = false;
};
