// y starts with the elements of x where mask is true, in their order; shapeout is (1, their number). Each core counts its
// part of the mask; once all have, each knows where its elements go.
#include "kernel_operator.h"
#include "op_kernel/row_math.h"

// What GatherMask moves for elements of `BYTES` bytes: single bytes as float16, eight bytes as two words.
template <uint32_t BYTES>
struct Unit {
  using Type = uint32_t;
};
template <>
struct Unit<1> {
  using Type = half;
};
template <>
struct Unit<2> {
  using Type = uint16_t;
};

// Bits of a mask for units of that size.
template <uint32_t BYTES>
struct Bits {
  using Type = uint32_t;
};
template <>
struct Bits<1> {
  using Type = uint16_t;
};
template <>
struct Bits<2> {
  using Type = uint16_t;
};

template <typename T>
class KernelMaskedSelectV3 {
  static constexpr uint32_t BYTES = sizeof(T);
  static constexpr uint32_t UNITS = BYTES == 8 ? 2 : 1;  // of an element
  static constexpr bool SIGNED = AscendC::IsSameType<T, int8_t>::value;
  using Moved = typename Unit<BYTES>::Type;
  using Pattern = typename Bits<BYTES>::Type;

 public:
  __aicore__ inline KernelMaskedSelectV3() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR shape, GM_ADDR workspace,
                              const MaskedSelectV3TilingData& tiling, AscendC::TPipe* pipe) {
    pipe_ = pipe;
    tile_ = tiling.tileLength;
    first_ = AscendC::GetBlockIdx() * tiling.lengthPerCore;
    const uint64_t left = tiling.length - first_;
    count_ = left < tiling.lengthPerCore ? left : tiling.lengthPerCore;
    x_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(x) + first_ * BYTES);
    mask_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(mask) + first_);
    y_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(y));
    shape_.SetGlobalBuffer(reinterpret_cast<__gm__ uint64_t*>(shape));
    counts_.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(AscendC::GetUserWorkspace(workspace)));
    pipe->InitBuffer(xQueue_, BUFFER_NUM, tile_ * BYTES);
    pipe->InitBuffer(maskQueue_, BUFFER_NUM, tile_);
    pipe->InitBuffer(yQueue_, BUFFER_NUM, tile_ * BYTES);
    pipe->InitBuffer(sumBuffer_, tile_ * sizeof(float));
    pipe->InitBuffer(wideBuffer_, tile_ * sizeof(float));
    pipe->InitBuffer(pairBuffer_, UNITS * tile_ * sizeof(float));
    pipe->InitBuffer(placeBuffer_, UNITS * tile_ * sizeof(float));
    pipe->InitBuffer(bitBuffer_, UNITS * tile_ / 8);
    pipe->InitBuffer(countBuffer_, (AscendC::GetBlockNum() + 1) * BLOCK_BYTES);
  }

  __aicore__ inline void Process() {
    CountOwn();
    const uint64_t start = Meet();
    if constexpr (UNITS > 1) {
      MakePlaces();
    }
    uint64_t to = start;
    Load(0, true);
    for (uint64_t at = 0; at < count_; at += tile_) {
      if (at + tile_ < count_) {
        Load(at + tile_, true);
      }
      to += Select(CountAt(at), to);
    }
  }

 private:
  static constexpr int32_t BUFFER_NUM = 2;
  static constexpr uint32_t BLOCK_BYTES = 32;

  __aicore__ inline uint32_t CountAt(uint64_t at) {
    return count_ - at < tile_ ? static_cast<uint32_t>(count_ - at) : tile_;
  }

  __aicore__ inline void Load(uint64_t at, bool withX) {
    const uint32_t count = CountAt(at);
    const AscendC::DataCopyPadExtParams<uint8_t> pad{};
    const AscendC::DataCopyExtParams bytes{1, count, 0, 0, 0};
    AscendC::LocalTensor<uint8_t> mask = maskQueue_.template AllocTensor<uint8_t>();
    AscendC::DataCopyPad(mask, mask_[at], bytes, pad);
    maskQueue_.EnQue(mask);
    if (withX) {
      const AscendC::DataCopyExtParams copy{1, count * BYTES, 0, 0, 0};
      AscendC::LocalTensor<uint8_t> x = xQueue_.template AllocTensor<uint8_t>();
      AscendC::DataCopyPad(x, x_[at * BYTES], copy, pad);
      xQueue_.EnQue(x);
    }
  }

  // The mask of this step as numbers 0 and 1.
  __aicore__ inline rows::Floats Numbers(uint32_t count) {
    const rows::Floats wide = wideBuffer_.template Get<float>();
    const AscendC::LocalTensor<half> small = pairBuffer_.template Get<half>();
    AscendC::LocalTensor<uint8_t> mask = maskQueue_.template DeQue<uint8_t>();
    AscendC::Cast(small, mask, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(count));
    maskQueue_.FreeTensor(mask);
    AscendC::Cast(wide, small, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(count));
    return wide;
  }

  __aicore__ inline void CountOwn() {
    const rows::Floats sums = sumBuffer_.template Get<float>();
    rows::Tile all;
    all.columns = tile_;
    AscendC::Duplicate(sums, 0.0f, all.Count());
    Load(0, false);
    for (uint64_t at = 0; at < count_; at += tile_) {
      if (at + tile_ < count_) {
        Load(at + tile_, false);
      }
      const uint32_t count = CountAt(at);
      AscendC::Add(sums, sums, Numbers(count), static_cast<int32_t>(count));
    }
    const rows::Floats own = countBuffer_.template Get<float>();
    AscendC::Duplicate(own, 0.0f, static_cast<int32_t>(rows::LANES_PER_BLOCK));
    rows::Reduce<rows::SumOf>(own, sums, all);
  }

  // Hands out the counts; where the elements of this core start.
  __aicore__ inline uint64_t Meet() {
    const uint32_t cores = static_cast<uint32_t>(AscendC::GetBlockNum());
    const rows::Floats own = countBuffer_.template Get<float>();
    const event_t counted = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE3));
    AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(counted);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(counted);
    AscendC::DataCopy(counts_[AscendC::GetBlockIdx() * rows::LANES_PER_BLOCK], own, rows::LANES_PER_BLOCK);
    AscendC::PipeBarrier<PIPE_ALL>();
    if (cores > 1) {
      AscendC::SyncAll();
    }
    const rows::Floats all = own[rows::LANES_PER_BLOCK];
    AscendC::DataCopy(all, counts_, cores * rows::LANES_PER_BLOCK);
    const event_t loaded = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::MTE2_S));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(loaded);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(loaded);
    uint64_t start = 0;
    uint64_t total = 0;
    for (uint32_t core = 0; core < cores; ++core) {
      if (core == AscendC::GetBlockIdx()) {
        start = total;
      }
      total += static_cast<uint64_t>(static_cast<int64_t>(all.GetValue(core * rows::LANES_PER_BLOCK)));
    }
    if (AscendC::GetBlockIdx() == 0) {
      const AscendC::LocalTensor<uint64_t> result = own.template ReinterpretCast<uint64_t>();
      result.SetValue(0, 1);
      result.SetValue(1, total);
      const event_t told = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::S_MTE3));
      AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(told);
      AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(told);
      const AscendC::DataCopyExtParams copy{1, 2 * sizeof(uint64_t), 0, 0, 0};
      AscendC::DataCopyPad(shape_, result, copy);
    }
    return start;
  }

  // Where the number of unit i lies: that of element i / 2.
  __aicore__ inline void MakePlaces() {
    const AscendC::LocalTensor<int32_t> places = placeBuffer_.template Get<int32_t>();
    const int32_t count = static_cast<int32_t>(UNITS * tile_);
    AscendC::CreateVecIndex(places, 0, UNITS * tile_);
    AscendC::ShiftRight(places, places, 1, count);
    AscendC::Muls(places, places, static_cast<int32_t>(sizeof(float)), count);
  }

  // Stores what is chosen of this step from element `to` on; how many there are.
  __aicore__ inline uint64_t Select(uint32_t count, uint64_t to) {
    rows::Floats numbers = Numbers(count);
    const uint32_t units = UNITS * count;
    const AscendC::LocalTensor<Pattern> bits = bitBuffer_.template Get<Pattern>();
    if constexpr (UNITS > 1) {
      const rows::Floats pairs = pairBuffer_.template Get<float>();
      AscendC::Gather(pairs, numbers, placeBuffer_.template Get<uint32_t>(), 0, units);
      numbers = pairs;
    }
    AscendC::CompareScalar(bits.template ReinterpretCast<uint8_t>(), numbers, 0.5f, AscendC::CMPMODE::GT,
                           rows::WholeRepeats(units));
    AscendC::LocalTensor<uint8_t> x = xQueue_.template DeQue<uint8_t>();
    AscendC::LocalTensor<uint8_t> y = yQueue_.template AllocTensor<uint8_t>();
    uint64_t chosen = 0;
    if constexpr (BYTES == 1) {
      const AscendC::LocalTensor<half> wide = pairBuffer_.template Get<half>();
      const AscendC::LocalTensor<half> dense = placeBuffer_.template Get<half>();
      if constexpr (SIGNED) {
        AscendC::Cast(wide, x.template ReinterpretCast<int8_t>(), AscendC::RoundMode::CAST_NONE,
                      static_cast<int32_t>(count));
      } else {
        AscendC::Cast(wide, x, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(count));
      }
      AscendC::GatherMask(dense, wide, bits, true, units, {1, 1, 0, 0}, chosen);
      if (chosen > 0) {
        if constexpr (SIGNED) {
          AscendC::Cast(y.template ReinterpretCast<int8_t>(), dense, AscendC::RoundMode::CAST_RINT,
                        static_cast<int32_t>(chosen));
        } else {
          AscendC::Cast(y, dense, AscendC::RoundMode::CAST_RINT, static_cast<int32_t>(chosen));
        }
      }
    } else {
      const AscendC::LocalTensor<Moved> dense = y.template ReinterpretCast<Moved>();
      AscendC::GatherMask(dense, x.template ReinterpretCast<Moved>(), bits, true, units, {1, 1, 0, 0}, chosen);
    }
    xQueue_.FreeTensor(x);
    yQueue_.EnQue(y);
    y = yQueue_.template DeQue<uint8_t>();
    const uint64_t elements = chosen / UNITS;
    if (elements > 0) {
      const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(elements * BYTES), 0, 0, 0};
      AscendC::DataCopyPad(y_[to * BYTES], y, copy);
    }
    yQueue_.FreeTensor(y);
    return elements;
  }

  AscendC::TPipe* pipe_ = nullptr;
  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> xQueue_;
  AscendC::TQue<AscendC::QuePosition::VECIN, BUFFER_NUM> maskQueue_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> sumBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> pairBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> placeBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> bitBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> countBuffer_;
  AscendC::GlobalTensor<uint8_t> x_;
  AscendC::GlobalTensor<uint8_t> mask_;
  AscendC::GlobalTensor<uint8_t> y_;
  AscendC::GlobalTensor<uint64_t> shape_;
  AscendC::GlobalTensor<float> counts_;
  uint64_t first_ = 0;
  uint64_t count_ = 0;
  uint32_t tile_ = 0;
};

extern "C" __global__ __aicore__ void masked_select_v3(GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR shapeout,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIV_1_0);
  GET_TILING_DATA(tilingData, tiling);
  AscendC::TPipe pipe;
  KernelMaskedSelectV3<DTYPE_X> op;
  op.Init(x, mask, y, shapeout, workspace, tilingData, &pipe);
  op.Process();
}
