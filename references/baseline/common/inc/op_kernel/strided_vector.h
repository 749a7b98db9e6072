// The way of working of operators that reduce a vector: n elements of x, `increment` apart, to one number. The host
// side is op_host/strided_vector.h. An operator is a class `Op` that derives from StridedVector<Op, T, PARTS> and says
//   Accumulate(parts, count, first)   what a tile adds; parts[p] holds part p of its elements in float32,
//   Finish()                          the result.
#pragma once

#include "op_kernel/core_sums.h"

template <typename Op, typename T, uint32_t PARTS>
class StridedVector {
 public:
  __aicore__ inline void Process() {
    static_cast<Op*>(this)->Begin();
    if (tiling_->pitch > 1 || PARTS > 1) {
      const AscendC::LocalTensor<int32_t> offsets = offsetBuffer_.Get<int32_t>();
      AscendC::CreateVecIndex(offsets, 0, tiling_->tileLength);
      AscendC::Muls(offsets, offsets, static_cast<int32_t>(tiling_->pitch * sizeof(float)),
                    static_cast<int32_t>(tiling_->tileLength));
    }
    if (count_ > 0) {
      Load(0);
    }
    for (uint64_t first = 0; first < count_; first += tiling_->tileLength) {
      if (first + tiling_->tileLength < count_) {
        Load(first + tiling_->tileLength);
      }
      Compute(first);
    }
    static_cast<Op*>(this)->Finish();
  }

 protected:
  static constexpr int32_t BUFFER_NUM = 2;

  __aicore__ inline void Start(GM_ADDR x, GM_ADDR workspace, const StridedVectorTiling& tiling, AscendC::TPipe* pipe) {
    tiling_ = &tiling;
    const uint64_t core = AscendC::GetBlockIdx();
    const uint64_t start = core * tiling.lengthPerCore;
    const uint64_t left = tiling.length - start;
    first_ = start;
    count_ = left < tiling.lengthPerCore ? left : tiling.lengthPerCore;
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + start * tiling.increment * PARTS);
    const uint32_t rawLength = tiling.tileLength * tiling.pitch;
    pipe->InitBuffer(queue_, BUFFER_NUM, rawLength * sizeof(T));
    if constexpr (!AscendC::IsSameType<T, float>::value) {
      pipe->InitBuffer(wideBuffer_, rawLength * sizeof(float));
    }
    pipe->InitBuffer(partBuffer_, PARTS * tiling.tileLength * sizeof(float));
    pipe->InitBuffer(offsetBuffer_, tiling.tileLength * sizeof(int32_t));
    pipe->InitBuffer(resultBuffer_, tiling.tileLength * sizeof(float));
    sums_.Init(workspace, pipe);
  }

  __aicore__ inline rows::Floats Results() { return resultBuffer_.Get<float>(); }

  const StridedVectorTiling* tiling_ = nullptr;
  CoreSums sums_;
  uint64_t first_ = 0;  // element of this core
  uint64_t count_ = 0;

 private:
  __aicore__ inline uint32_t CountAt(uint64_t first) {
    return count_ - first < tiling_->tileLength ? static_cast<uint32_t>(count_ - first) : tiling_->tileLength;
  }

  // What lies between the elements comes along where it is little; else each element is a burst.
  __aicore__ inline void Load(uint64_t first) {
    const uint32_t count = CountAt(first);
    const uint32_t elementBytes = PARTS * sizeof(T);
    const uint64_t apart = tiling_->increment * PARTS;
    const uint64_t stretch = (count - 1) * tiling_->increment + 1;
    AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(stretch * elementBytes), 0, 0, 0};
    if (tiling_->pitch != apart) {
      const uint32_t gap = static_cast<uint32_t>(apart * sizeof(T) - elementBytes);
      copy = {static_cast<uint16_t>(count), elementBytes, gap, 0, 0};
    }
    const AscendC::DataCopyPadExtParams<T> pad{};
    AscendC::LocalTensor<T> x = queue_.template AllocTensor<T>();
    AscendC::DataCopyPad(x, xGm_[first * apart], copy, pad);
    queue_.EnQue(x);
  }

  __aicore__ inline void Compute(uint64_t first) {
    const uint32_t count = CountAt(first);
    AscendC::LocalTensor<T> raw = queue_.template DeQue<T>();
    rows::Floats wide;
    if constexpr (AscendC::IsSameType<T, float>::value) {
      wide = raw;
    } else {
      wide = wideBuffer_.template Get<float>();
      AscendC::Cast(wide, raw, AscendC::RoundMode::CAST_NONE,
                    static_cast<int32_t>((count - 1) * tiling_->pitch + PARTS));
    }
    rows::Floats parts[PARTS];
    for (uint32_t part = 0; part < PARTS; ++part) {
      parts[part] = partBuffer_.template Get<float>()[part * tiling_->tileLength];
      if (tiling_->pitch > 1) {
        const AscendC::LocalTensor<uint32_t> offsets = offsetBuffer_.template Get<uint32_t>();
        AscendC::Gather(parts[part], wide, offsets, static_cast<uint32_t>(part * sizeof(float)), count);
      } else {
        AscendC::Adds(parts[part], wide, 0.0f, static_cast<int32_t>(count));
      }
    }
    queue_.FreeTensor(raw);
    static_cast<Op*>(this)->Accumulate(parts, static_cast<int32_t>(count), first_ + first);
  }

  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> queue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> partBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> offsetBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> resultBuffer_;
  AscendC::GlobalTensor<T> xGm_;
};

// Sums: an operator adds Term(x, count), which overwrites x with what is added, and Total(sum), which does the rest.
template <typename Op, typename T>
class VectorSum : public StridedVector<Op, T, 1> {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, const StridedVectorTiling& tiling,
                              AscendC::TPipe* pipe) {
    result_ = result;
    this->Start(x, workspace, tiling, pipe);
  }

  __aicore__ inline void Begin() {
    AscendC::Duplicate(this->Results(), 0.0f, static_cast<int32_t>(this->tiling_->tileLength));
  }

  __aicore__ inline void Accumulate(const rows::Floats* parts, int32_t count, uint64_t) {
    static_cast<Op*>(this)->Term(parts[0], count);
    AscendC::Add(this->Results(), this->Results(), parts[0], count);
  }

  __aicore__ inline void Finish() {
    rows::Tile tile;
    tile.columns = this->tiling_->tileLength;
    const rows::Floats own = this->sums_.Own();
    AscendC::Duplicate(own, 0.0f, static_cast<int32_t>(rows::LANES_PER_BLOCK));
    rows::Reduce<rows::SumOf>(own, this->Results(), tile);
    const rows::Floats total = this->sums_.Total();
    if (AscendC::GetBlockIdx() == 0) {
      static_cast<Op*>(this)->Total(total);
      const AscendC::LocalTensor<T> narrow = this->Results().template ReinterpretCast<T>();
      rows::Narrow(narrow, total, 1);
      this->sums_.Store(result_, narrow, 1);
    }
  }

 private:
  GM_ADDR result_ = nullptr;
};

// The position, counted from 1, of the first element whose magnitude |re| + |im| is largest or smallest.
template <uint32_t PARTS, bool LARGEST>
class VectorExtreme : public StridedVector<VectorExtreme<PARTS, LARGEST>, float, PARTS> {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR result, GM_ADDR workspace, const StridedVectorTiling& tiling,
                              AscendC::TPipe* pipe) {
    result_ = result;
    workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(AscendC::GetUserWorkspace(workspace)));
    this->Start(x, workspace, tiling, pipe);
  }

  __aicore__ inline void Begin() {}

  __aicore__ inline void Accumulate(const rows::Floats* parts, int32_t count, uint64_t first) {
    const rows::Floats magnitude = parts[0];
    AscendC::Abs(magnitude, magnitude, count);
    if constexpr (PARTS > 1) {
      AscendC::Abs(parts[1], parts[1], count);
      AscendC::Add(magnitude, magnitude, parts[1], count);
    }
    const rows::Floats found = this->sums_.Own();
    if constexpr (LARGEST) {
      AscendC::ReduceMax(found, magnitude, this->Results(), count, true);
    } else {
      AscendC::ReduceMin(found, magnitude, this->Results(), count, true);
    }
    const event_t reduced = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::V_S));
    AscendC::SetFlag<AscendC::HardEvent::V_S>(reduced);
    AscendC::WaitFlag<AscendC::HardEvent::V_S>(reduced);
    const float value = found.GetValue(0);
    const uint32_t index = found.template ReinterpretCast<uint32_t>().GetValue(1);
    Take(value, static_cast<uint32_t>(first) + index + 1);
    const event_t taken = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_V));
    AscendC::SetFlag<AscendC::HardEvent::S_V>(taken);
    AscendC::WaitFlag<AscendC::HardEvent::S_V>(taken);
  }

  __aicore__ inline void Finish() {
    const rows::Floats own = this->sums_.Own();
    const AscendC::LocalTensor<uint32_t> positions = own.template ReinterpretCast<uint32_t>();
    own.SetValue(0, value_);
    positions.SetValue(1, position_);
    const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::S_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(written);
    AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(written);
    const AscendC::DataCopyExtParams pair{1, 2 * sizeof(float), 0, 0, 0};
    AscendC::DataCopyPad(workspace_[AscendC::GetBlockIdx() * rows::LANES_PER_BLOCK], own, pair);
    AscendC::PipeBarrier<PIPE_ALL>();
    if (AscendC::GetBlockNum() > 1) {
      AscendC::SyncAll();
    }
    if (AscendC::GetBlockIdx() != 0) {
      return;
    }
    // In the order of the cores, so that the first one wins.
    const rows::Floats all = this->Results();
    AscendC::DataCopy(all, workspace_, static_cast<uint32_t>(AscendC::GetBlockNum()) * rows::LANES_PER_BLOCK);
    const event_t loaded = static_cast<event_t>(GetTPipePtr()->FetchEventID(AscendC::HardEvent::MTE2_S));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(loaded);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(loaded);
    for (uint32_t core = 1; core < AscendC::GetBlockNum(); ++core) {
      const uint32_t block = core * rows::LANES_PER_BLOCK;
      Take(all.GetValue(block), all.template ReinterpretCast<uint32_t>().GetValue(block + 1));
    }
    const AscendC::LocalTensor<int32_t> answer = own.template ReinterpretCast<int32_t>();
    answer.SetValue(0, static_cast<int32_t>(position_));
    AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(written);
    AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(written);
    AscendC::GlobalTensor<int32_t> result;
    result.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t*>(result_), 1);
    const AscendC::DataCopyExtParams one{1, sizeof(int32_t), 0, 0, 0};
    AscendC::DataCopyPad(result, answer, one);
  }

 private:
  __aicore__ inline void Take(float value, uint32_t position) {
    if (position_ == 0 || (LARGEST ? value > value_ : value < value_)) {
      value_ = value;
      position_ = position;
    }
  }

  AscendC::GlobalTensor<float> workspace_;
  GM_ADDR result_ = nullptr;
  float value_ = 0.0f;
  uint32_t position_ = 0;  // 0: none yet
};
