// Weights of channels for rows that hold the channels of a group one behind the other, `spatial` elements each.
#pragma once

#include "op_kernel/row_math.h"

class ChannelWeights {
 public:
  __aicore__ inline void Init(uint32_t all, uint32_t channels, uint64_t spatial, AscendC::TPipe* pipe) {
    all_ = all;
    channels_ = channels;
    spatial_ = spatial;
    pipe_ = pipe;
    const uint32_t aligned = (all + UNIT - 1) / UNIT * UNIT;
    length_ = aligned;
    pipe->InitBuffer(wideBuffer_, 2 * aligned * sizeof(float));
    pipe->InitBuffer(rawBuffer_, aligned * sizeof(half));
  }

  template <typename W>
  __aicore__ inline void Load(GM_ADDR gamma, GM_ADDR beta) {
    LoadOne<W>(gamma, 0);
    LoadOne<W>(beta, length_);
  }

  // x = x * gamma + beta, for a tile of rows that are groups of channels; `offsets` and `factors` are as long as a row.
  __aicore__ inline void Apply(const rows::Floats& x, const rows::Floats& offsets, const rows::Floats& factors,
                               uint32_t groups, const rows::Tile& tile) {
    if (spatial_ < LONG_CHANNEL) {
      Place(offsets, tile);
    }
    for (uint32_t row = 0; row < tile.rows; ++row) {
      const uint32_t group = static_cast<uint32_t>((tile.row + row) % groups);
      const rows::Floats own = x[row * tile.stride];
      if (spatial_ < LONG_CHANNEL) {
        Take(factors, 0, group, tile);
        AscendC::Mul(own, own, factors, static_cast<int32_t>(tile.columns));
        Take(factors, length_, group, tile);
        AscendC::Add(own, own, factors, static_cast<int32_t>(tile.columns));
      } else {
        Scale(own, group, tile);
        Shift(own, group, tile);
      }
    }
  }

 private:
  static constexpr uint32_t UNIT = 16;
  static constexpr uint64_t LONG_CHANNEL = 256;  // from here on two instructions with scalars are faster than a Gather

  // Where the weights of the elements of a tile are: byte offsets from that of the first element's channel.
  __aicore__ inline void Place(const rows::Floats& offsets, const rows::Tile& tile) {
    const float rest = static_cast<float>(static_cast<int64_t>(spatial_ - tile.column % spatial_));
    const int32_t count = static_cast<int32_t>(tile.columns);
    offsets_ = offsets;
    if (placed_ == tile.columns && rest_ == rest) {
      return;
    }
    placed_ = tile.columns;
    rest_ = rest;
    // Element j is `floor((j - rest) / spatial) + 1` channels on, 0 up to the end of the first one. Halves keep the
    // quotients away from whole numbers, where the rounded reciprocal could fall to the wrong side.
    AscendC::CreateVecIndex(offsets, 0.0f, tile.columns);
    AscendC::Adds(offsets, offsets, -rest, count);
    AscendC::Maxs(offsets, offsets, -1.0f, count);
    AscendC::Adds(offsets, offsets, 0.5f, count);
    AscendC::Muls(offsets, offsets, 1.0f / static_cast<float>(static_cast<int64_t>(spatial_)), count);
    AscendC::Cast(offsets, offsets, AscendC::RoundMode::CAST_FLOOR, count);
    AscendC::Adds(offsets, offsets, 1.0f, count);
    AscendC::Muls(offsets, offsets, static_cast<float>(sizeof(float)), count);
    AscendC::Cast(offsets.ReinterpretCast<int32_t>(), offsets, AscendC::RoundMode::CAST_RINT, count);
  }

  template <typename W>
  __aicore__ inline void LoadOne(GM_ADDR address, uint32_t place) {
    AscendC::GlobalTensor<W> weights;
    weights.SetGlobalBuffer(reinterpret_cast<__gm__ W*>(address), all_);
    const AscendC::DataCopyExtParams copy{1, static_cast<uint32_t>(all_ * sizeof(W)), 0, 0, 0};
    const AscendC::DataCopyPadExtParams<W> pad{};
    const rows::Floats wide = wideBuffer_.Get<float>()[place];
    AscendC::LocalTensor<W> target;
    if constexpr (AscendC::IsSameType<W, float>::value) {
      target = wide;
    } else {
      target = rawBuffer_.Get<W>();
    }
    AscendC::DataCopyPad(target, weights, copy, pad);
    const event_t loaded = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::MTE2_V));
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(loaded);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(loaded);
    if constexpr (!AscendC::IsSameType<W, float>::value) {
      AscendC::Cast(wide, target, AscendC::RoundMode::CAST_NONE, static_cast<int32_t>(all_));
      const event_t read = static_cast<event_t>(pipe_->FetchEventID(AscendC::HardEvent::V_MTE2));
      AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(read);
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(read);
    }
  }

  __aicore__ inline void Take(const rows::Floats& factors, uint32_t place, uint32_t group, const rows::Tile& tile) {
    const uint32_t first = place + group * channels_ + static_cast<uint32_t>(tile.column / spatial_);
    const rows::Floats weights = wideBuffer_.Get<float>();
    AscendC::Gather(factors, weights, offsets_.ReinterpretCast<uint32_t>(),
                    static_cast<uint32_t>(first * sizeof(float)), tile.columns);
  }

  // All channels are scaled before the first one is shifted, so that no instruction waits for the one before.
  __aicore__ inline void Scale(const rows::Floats& x, uint32_t group, const rows::Tile& tile) {
    const rows::Floats weights = wideBuffer_.Get<float>();
    uint32_t channel = FirstChannel(group, tile);
    for (uint32_t begin = 0; begin < tile.columns; ++channel) {
      const uint32_t length = LengthAt(begin, tile);
      const float gamma = weights.GetValue(channel);
      const uint32_t start = begin / rows::LANES_PER_BLOCK * rows::LANES_PER_BLOCK;
      const uint32_t head = HeadLanes(begin - start, length);
      if (head > 0) {
        uint64_t mask[2] = {LanesFrom(begin - start, head), 0};
        AscendC::Muls(x[start], x[start], gamma, mask, 1, {1, 1, 8, 8});
      }
      if (length > head) {
        AscendC::Muls(x[begin + head], x[begin + head], gamma, static_cast<int32_t>(length - head));
      }
      begin += length;
    }
  }
  __aicore__ inline void Shift(const rows::Floats& x, uint32_t group, const rows::Tile& tile) {
    const rows::Floats weights = wideBuffer_.Get<float>()[length_];
    uint32_t channel = FirstChannel(group, tile);
    for (uint32_t begin = 0; begin < tile.columns; ++channel) {
      const uint32_t length = LengthAt(begin, tile);
      const float beta = weights.GetValue(channel);
      const uint32_t start = begin / rows::LANES_PER_BLOCK * rows::LANES_PER_BLOCK;
      const uint32_t head = HeadLanes(begin - start, length);
      if (head > 0) {
        uint64_t mask[2] = {LanesFrom(begin - start, head), 0};
        AscendC::Adds(x[start], x[start], beta, mask, 1, {1, 1, 8, 8});
      }
      if (length > head) {
        AscendC::Adds(x[begin + head], x[begin + head], beta, static_cast<int32_t>(length - head));
      }
      begin += length;
    }
  }
  __aicore__ inline uint32_t FirstChannel(uint32_t group, const rows::Tile& tile) {
    return group * channels_ + static_cast<uint32_t>(tile.column / spatial_);
  }
  // Elements of the channel that is at `begin` of a tile.
  __aicore__ inline uint32_t LengthAt(uint32_t begin, const rows::Tile& tile) {
    const uint64_t left = spatial_ - (tile.column + begin) % spatial_;
    return left < tile.columns - begin ? static_cast<uint32_t>(left) : tile.columns - begin;
  }
  // Elements of a channel that begins `skipped` lanes behind a block: those in the repeat that begins there.
  __aicore__ inline uint32_t HeadLanes(uint32_t skipped, uint32_t length) {
    if (skipped == 0) {
      return 0;
    }
    return length < rows::LANES - skipped ? length : rows::LANES - skipped;
  }
  __aicore__ inline uint64_t LanesFrom(uint32_t first, uint32_t count) {
    return ((static_cast<uint64_t>(1) << count) - 1) << first;
  }

  AscendC::TPipe* pipe_ = nullptr;
  AscendC::TBuf<AscendC::TPosition::VECCALC> wideBuffer_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> rawBuffer_;
  rows::Floats offsets_;
  uint64_t spatial_ = 1;
  uint32_t all_ = 0;
  uint32_t channels_ = 0;
  uint32_t length_ = 0;
  uint32_t placed_ = 0;
  float rest_ = 0.0f;
};
