// Small kernels after measurements that are published of devices: `bench/clock/figures.ts` says of which.
#include "kernel_operator.h"

using namespace AscendC;

namespace {

enum Form : int64_t {
  Streams,
  Load,
  LoadPieces,
  LoadAlone,
  LoadAgain,
  LoadAgainAlone,
  StoreAlone,
  LoadTogether,
  Vector,
  Scalar,
  WholeTwice,
  BlockThrice,
  BlockAndWhole
};

// Bits of `how`, of sums of two streams.
enum How : int64_t { OneBuffer = 1, SameBanks = 2, PastL2 = 4, ByElement = 8 };

class Figures {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const ClockFiguresTiling& data) {
    data_ = data;
    in_.SetGlobalBuffer((__gm__ int8_t*)x);
    out_.SetGlobalBuffer((__gm__ int8_t*)y);
  }

  // Sums of two streams.
  __aicore__ inline void Add() {
    const int32_t buffers = Has(OneBuffer) ? 1 : 2;
    if (Has(PastL2)) in_.SetL2CacheHint(CacheMode::CACHE_MODE_DISABLE);
    pipe_.InitBuffer(queueIn_, buffers, data_.bytes + (Has(SameBanks) ? 0 : 256));
    pipe_.InitBuffer(queueOther_, buffers, data_.bytes);
    pipe_.InitBuffer(queueOut_, buffers, data_.bytes);
    const int64_t all = GetBlockNum() * data_.tiles * data_.bytes;
    const auto bytes = static_cast<uint32_t>(data_.bytes);
    for (int64_t i = 0; i < data_.tiles; ++i) {
      LocalTensor<int8_t> a = queueIn_.AllocTensor<int8_t>(), b = queueOther_.AllocTensor<int8_t>();
      DataCopy(a, in_[Place(i)], bytes);
      DataCopy(b, in_[all + Place(i)], bytes);
      queueIn_.EnQue(a);
      queueOther_.EnQue(b);
      a = queueIn_.DeQue<int8_t>();
      b = queueOther_.DeQue<int8_t>();
      LocalTensor<int8_t> out = queueOut_.AllocTensor<int8_t>();
      Sum(out.ReinterpretCast<half>(), a.ReinterpretCast<half>(), b.ReinterpretCast<half>(), bytes / 2);
      queueIn_.FreeTensor(a);
      queueOther_.FreeTensor(b);
      queueOut_.EnQue(out);
      out = queueOut_.DeQue<int8_t>();
      DataCopy(out_[Place(i)], out, bytes);
      queueOut_.FreeTensor(out);
    }
  }

  // Transfers that nothing is done with.
  __aicore__ inline void Copy() {
    const bool alone = data_.form == LoadAlone || data_.form == LoadAgainAlone || data_.form == StoreAlone;
    pipe_.InitBuffer(queueIn_, alone ? 1 : 2, Bytes());
    pipe_.InitBuffer(queueOut_, 1, 32);
    if (data_.form == StoreAlone) return Store();
    for (int64_t i = 0; i < data_.tiles; ++i) {
      LocalTensor<int8_t> in = queueIn_.AllocTensor<int8_t>();
      LoadTile(in, Place(i));
      queueIn_.EnQue(in);
      in = queueIn_.DeQue<int8_t>();
      if (alone) PipeBarrier<PIPE_ALL>();
      queueIn_.FreeTensor(in);
    }
    LeaveResult();
  }

  // Instructions of 256 bytes for each of `rows`, one after the other. The second source is `offset` bytes from a bank of the first.
  __aicore__ inline void Instructions() {
    pipe_.InitBuffer(buffer_, 65536 * 2 + 2048);
    pipe_.InitBuffer(queueOut_, 1, 32);
    LocalTensor<float> all = buffer_.Get<float>();
    Duplicate(all, 0.0f, 65536 / 2 + 512);
    const int32_t count = static_cast<int32_t>(data_.rows * 64);
    LocalTensor<float> a = all, b = all[16384 + data_.offset / 4], c = all[2 * 16384 - 8192];
    PipeBarrier<PIPE_ALL>();
    for (int64_t i = 0; i < data_.tiles; ++i) {
      switch (data_.form) {
        case Vector: AscendC::Add(a, b, c, count); break;
        case WholeTwice: Whole(c, a, 4), Whole(b, c, 1); break;
        case BlockThrice: Block(c, a, 4), Block(b, c, 1), Block(c, b, 1); break;
        default: Block(c, a, 4), Whole(b, c, 1);
      }
      PipeBarrier<PIPE_V>();
    }
    PipeBarrier<PIPE_ALL>();
    LeaveResult();
  }

  // Sums of float16, one by one.
  __aicore__ inline void Elements() {
    pipe_.InitBuffer(buffer_, 65536);
    pipe_.InitBuffer(queueOut_, 1, 32);
    LocalTensor<half> all = buffer_.Get<half>();
    Duplicate(all, half(1), 32768);
    PipeBarrier<PIPE_ALL>();
    for (int64_t i = 0; i < data_.tiles; ++i)
      all.SetValue(i, (half)((float)all.GetValue(i) + (float)all.GetValue(16384 + i)));
    PipeBarrier<PIPE_ALL>();
    LeaveResult();
  }

 private:
  __aicore__ inline bool Has(How bit) const { return (data_.how & bit) != 0; }
  __aicore__ inline void Sum(const LocalTensor<half>& to, const LocalTensor<half>& a, const LocalTensor<half>& b,
                             uint32_t count) const {
    if (!Has(ByElement)) return AscendC::Add(to, a, b, static_cast<int32_t>(count));
    for (uint32_t i = 0; i < count; ++i) to.SetValue(i, (half)((float)a.GetValue(i) + (float)b.GetValue(i)));
  }
  __aicore__ inline int64_t Bytes() const { return data_.rows > 0 ? data_.rows * data_.bytes : data_.bytes; }
  // Tiles with an offset lie a line further from each other.
  __aicore__ inline int64_t Place(int64_t tile) const {
    const bool again = data_.form == LoadAgain || data_.form == LoadAgainAlone || data_.form == LoadTogether;
    const int64_t core = data_.form == LoadTogether ? 0 : GetBlockIdx() * data_.tiles;
    const int64_t pitch =
        data_.rows > 0 ? data_.rows * (data_.bytes + data_.gap) : data_.bytes + (data_.offset ? 512 : 0);
    return (core + (again ? 0 : tile)) * pitch + data_.offset;
  }
  __aicore__ inline void LoadTile(const LocalTensor<int8_t>& to, int64_t place) {
    const auto bytes = static_cast<uint32_t>(data_.bytes);
    if (data_.rows == 0) return DataCopy(to, in_[place], bytes);
    if (data_.form == LoadPieces) {
      for (int64_t row = 0; row < data_.rows; ++row)
        DataCopy(to[row * data_.bytes], in_[place + row * (data_.bytes + data_.gap)], bytes);
      return;
    }
    const DataCopyExtParams rows(static_cast<uint16_t>(data_.rows), bytes, static_cast<uint32_t>(data_.gap), 0, 0);
    DataCopyPad(to, in_[place], rows, DataCopyPadExtParams<int8_t>(false, 0, 0, 0));
  }
  __aicore__ inline void Store() {
    LocalTensor<int8_t> from = queueIn_.AllocTensor<int8_t>();
    Duplicate(from.ReinterpretCast<half>(), half(0), static_cast<int32_t>(data_.bytes / 2));
    for (int64_t i = 0; i < data_.tiles; ++i) {
      PipeBarrier<PIPE_ALL>();
      DataCopy(out_[Place(i)], from, static_cast<uint32_t>(data_.bytes));
    }
    PipeBarrier<PIPE_ALL>();
    queueIn_.FreeTensor(from);
  }
  __aicore__ inline void LeaveResult() {
    LocalTensor<half> out = queueOut_.AllocTensor<half>();
    Duplicate(out, half(0), 16);
    queueOut_.EnQue(out);
    out = queueOut_.DeQue<half>();
    DataCopy(out_[GetBlockIdx() * 512], out.ReinterpretCast<int8_t>(), 32);
    queueOut_.FreeTensor(out);
  }
  __aicore__ inline void Whole(const LocalTensor<float>& to, const LocalTensor<float>& from, int32_t repeats) {
    WholeReduceSum(to, from, 64, repeats, 1, 1, 8);
    PipeBarrier<PIPE_V>();
  }
  __aicore__ inline void Block(const LocalTensor<float>& to, const LocalTensor<float>& from, int32_t repeats) {
    BlockReduceSum(to, from, repeats, 64, 1, 1, 8);
    PipeBarrier<PIPE_V>();
  }

  ClockFiguresTiling data_;
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> queueIn_, queueOther_;
  TQue<QuePosition::VECOUT, 2> queueOut_;
  TBuf<QuePosition::VECCALC> buffer_;
  GlobalTensor<int8_t> in_, out_;
};

}  // namespace

extern "C" __global__ __aicore__ void clock_figures(GM_ADDR x, GM_ADDR y, GM_ADDR, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  Figures figures;
  figures.Init(x, y, data);
  if (data.form == Streams) figures.Add();
  else if (data.form < Vector) figures.Copy();
  else if (data.form == Scalar) figures.Elements();
  else figures.Instructions();
}
