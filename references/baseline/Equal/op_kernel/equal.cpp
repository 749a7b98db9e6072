// y = (x1 == x2), one byte per element. Types without a vector comparison are converted, exactly, to one that has it:
// bfloat16 to float32, 8-bit integers to float16; uint32 is compared as the same bits of int32.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t BANK_SHIFT_BYTES = 128;  // makes x1 and x2 of one step start in different banks
constexpr uint32_t REPEAT_BYTES = 256;      // Compare takes whole repeats

// The type in which elements of T are compared.
template <typename T>
struct ComparedAs {
  using Type = T;
};
template <>
struct ComparedAs<bfloat16_t> {
  using Type = float;
};
template <>
struct ComparedAs<int8_t> {
  using Type = half;
};
template <>
struct ComparedAs<uint8_t> {
  using Type = half;
};
template <>
struct ComparedAs<uint32_t> {
  using Type = int32_t;
};

template <typename T>
class KernelEqual {
  using C = typename ComparedAs<T>::Type;
  static constexpr bool CONVERTED = sizeof(C) != sizeof(T);

 public:
  __aicore__ inline KernelEqual() {}

  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, const EqualTilingData& tiling, TPipe* pipe) {
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    const uint64_t units = tiling.unitsPerCore + (core < larger ? 1 : 0);
    const uint64_t first = (core * tiling.unitsPerCore + (core < larger ? core : larger)) * tiling.unitLength;
    const uint64_t left = tiling.totalLength - first;
    length_ = units * tiling.unitLength < left ? units * tiling.unitLength : left;
    tileLength_ = tiling.tileLength;

    x1Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x1) + first, length_);
    x2Gm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x2) + first, length_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ uint8_t*>(y) + first, length_);

    // The buffer length is a multiple of 512 bytes of T, hence of a repeat of C.
    const uint32_t length = tiling.bufferLength;
    pipe->InitBuffer(x1Queue_, BUFFER_NUM, length * sizeof(T) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(x2Queue_, BUFFER_NUM, length * sizeof(T) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(yQueue_, BUFFER_NUM, length * sizeof(uint8_t));
    pipe->InitBuffer(bitsBuffer_, length / 8);
    pipe->InitBuffer(selectedBuffer_, length * sizeof(half));
    if constexpr (CONVERTED) {
      pipe->InitBuffer(converted1Buffer_, length * sizeof(C) + BANK_SHIFT_BYTES);
      pipe->InitBuffer(converted2Buffer_, length * sizeof(C));
    }
  }

  __aicore__ inline void Process() {
    Load(0);
    for (uint64_t offset = 0; offset < length_; offset += tileLength_) {
      if (offset + tileLength_ < length_) {
        Load(offset + tileLength_);
      }
      Compute(CountAt(offset));
      Store(offset);
    }
  }

 private:
  __aicore__ inline uint32_t CountAt(uint64_t offset) {
    return length_ - offset < tileLength_ ? static_cast<uint32_t>(length_ - offset) : tileLength_;
  }

  __aicore__ inline void Load(uint64_t offset) {
    const DataCopyExtParams copy{1, static_cast<uint32_t>(CountAt(offset) * sizeof(T)), 0, 0, 0};
    const DataCopyPadExtParams<T> pad{};
    LocalTensor<T> x1 = x1Queue_.template AllocTensor<T>();
    DataCopyPad(x1, x1Gm_[offset], copy, pad);
    x1Queue_.EnQue(x1);
    LocalTensor<T> x2 = x2Queue_.template AllocTensor<T>();
    DataCopyPad(x2, x2Gm_[offset], copy, pad);
    x2Queue_.EnQue(x2);
  }

  __aicore__ inline void Compute(uint32_t count) {
    LocalTensor<T> x1 = x1Queue_.template DeQue<T>();
    LocalTensor<T> x2 = x2Queue_.template DeQue<T>();
    LocalTensor<uint8_t> bits = bitsBuffer_.Get<uint8_t>();
    if constexpr (CONVERTED) {
      LocalTensor<C> c1 = converted1Buffer_.template Get<C>();
      LocalTensor<C> c2 = converted2Buffer_.template Get<C>();
      Cast(c1, x1, RoundMode::CAST_NONE, count);
      Cast(c2, x2, RoundMode::CAST_NONE, count);
      CompareEqual(bits, c1, c2, count);
    } else {
      CompareEqual(bits, x1.template ReinterpretCast<C>(), x2.template ReinterpretCast<C>(), count);
    }
    x1Queue_.FreeTensor(x1);
    x2Queue_.FreeTensor(x2);

    LocalTensor<half> selected = selectedBuffer_.Get<half>();
    LocalTensor<uint8_t> y = yQueue_.template AllocTensor<uint8_t>();
    Duplicate(selected, static_cast<half>(1.0), static_cast<int32_t>(count));
    Select(selected, bits, selected, static_cast<half>(0.0), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    Cast(y, selected, RoundMode::CAST_NONE, count);
    yQueue_.EnQue(y);
  }

  // Whole repeats: lanes past `count` compare what the buffers happen to hold and are never selected.
  __aicore__ inline void CompareEqual(const LocalTensor<uint8_t>& bits, const LocalTensor<C>& a,
                                      const LocalTensor<C>& b, uint32_t count) {
    constexpr uint32_t lanes = REPEAT_BYTES / sizeof(C);
    Compare(bits, a, b, CMPMODE::EQ, (count + lanes - 1) / lanes * lanes);
  }

  __aicore__ inline void Store(uint64_t offset) {
    LocalTensor<uint8_t> y = yQueue_.template DeQue<uint8_t>();
    const DataCopyExtParams copy{1, CountAt(offset), 0, 0, 0};
    DataCopyPad(yGm_[offset], y, copy);
    yQueue_.FreeTensor(y);
  }

  TQue<QuePosition::VECIN, BUFFER_NUM> x1Queue_;
  TQue<QuePosition::VECIN, BUFFER_NUM> x2Queue_;
  TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  TBuf<TPosition::VECCALC> bitsBuffer_;
  TBuf<TPosition::VECCALC> selectedBuffer_;
  TBuf<TPosition::VECCALC> converted1Buffer_;
  TBuf<TPosition::VECCALC> converted2Buffer_;
  GlobalTensor<T> x1Gm_;
  GlobalTensor<T> x2Gm_;
  GlobalTensor<uint8_t> yGm_;
  uint64_t length_ = 0;
  uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void equal(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelEqual<DTYPE_X1> op;
  op.Init(x1, x2, y, tilingData, &pipe);
  op.Process();
}
