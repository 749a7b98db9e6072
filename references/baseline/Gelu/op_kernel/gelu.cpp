// y = x * Phi(x), the exact (erf) form, in float32, rounded once to the type of x.
//
// With a = |x|, Phi(-a) = exp(-a * a / 2) * t * R(t) where t = 1 / (1 + p * a) and R is a polynomial. Then
// y = max(x, 0) - a * Phi(-a) holds for both signs, without cancellation in the negative tail.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 2;
constexpr uint32_t BANK_SHIFT_BYTES = 32;  // makes every buffer start in another bank: no instruction reads one twice
constexpr float SATURATION = 14.0f;        // from here on a * Phi(-a) is below the smallest float32

// Minimax fits of Phi(-a) * exp(a * a / 2) / t over 0 <= a <= 14, in the relative sense: {p, R0, R1, ...}.
template <typename T>
struct TailFit {  // 1e-7
  static constexpr int32_t DEGREE = 7;
  static constexpr float P = 0.305f;
  static constexpr float R[DEGREE + 1] = {0.12163971f,  0.12246720f, 0.10341815f,  0.12103026f,
                                          -0.03799235f, 0.18573307f, -0.15299733f, 0.036701276f};
};
template <>
struct TailFit<float> {  // 2e-8
  static constexpr int32_t DEGREE = 8;
  static constexpr float P = 0.345f;
  static constexpr float R[DEGREE + 1] = {0.13761929f, 0.1380211f,  0.11723647f, 0.11180825f,  -0.037626285f,
                                          0.18723932f, -0.2712172f, 0.14530696f, -0.028387918f};
};

template <typename T>
class KernelGelu {
 public:
  __aicore__ inline KernelGelu() {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, const GeluTilingData& tiling, TPipe* pipe) {
    const uint64_t core = GetBlockIdx();
    const uint64_t larger = tiling.largerCores;
    const uint64_t units = tiling.unitsPerCore + (core < larger ? 1 : 0);
    const uint64_t first = (core * tiling.unitsPerCore + (core < larger ? core : larger)) * tiling.unitLength;
    const uint64_t left = tiling.totalLength - first;
    length_ = units * tiling.unitLength < left ? units * tiling.unitLength : left;
    tileLength_ = tiling.tileLength;

    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x) + first, length_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y) + first, length_);

    pipe->InitBuffer(xQueue_, BUFFER_NUM, tiling.bufferLength * sizeof(T) + BANK_SHIFT_BYTES);
    pipe->InitBuffer(yQueue_, BUFFER_NUM, tiling.bufferLength * sizeof(T) + BANK_SHIFT_BYTES);
    const uint32_t wideBytes = tiling.bufferLength * sizeof(float) + BANK_SHIFT_BYTES;
    pipe->InitBuffer(magnitudeBuffer_, wideBytes);
    pipe->InitBuffer(tailBuffer_, wideBytes);
    pipe->InitBuffer(polynomialBuffer_, wideBytes);
    pipe->InitBuffer(otherBuffer_, wideBytes);
    if constexpr (!IsSameType<T, float>::value) {
      pipe->InitBuffer(wideXBuffer_, wideBytes);
      pipe->InitBuffer(wideYBuffer_, wideBytes);
    }
  }

  __aicore__ inline void Process() {
    Load(0);
    for (uint64_t offset = 0; offset < length_; offset += tileLength_) {
      if (offset + tileLength_ < length_) {
        Load(offset + tileLength_);
      }
      Compute(static_cast<int32_t>(CountAt(offset)));
      Store(offset);
    }
  }

 private:
  __aicore__ inline uint32_t CountAt(uint64_t offset) {
    return length_ - offset < tileLength_ ? static_cast<uint32_t>(length_ - offset) : tileLength_;
  }

  __aicore__ inline DataCopyExtParams CopyAt(uint64_t offset) {
    return DataCopyExtParams{1, static_cast<uint32_t>(CountAt(offset) * sizeof(T)), 0, 0, 0};
  }

  __aicore__ inline void Load(uint64_t offset) {
    const DataCopyPadExtParams<T> pad{};
    LocalTensor<T> x = xQueue_.template AllocTensor<T>();
    DataCopyPad(x, xGm_[offset], CopyAt(offset), pad);
    xQueue_.EnQue(x);
  }

  __aicore__ inline void Compute(int32_t count) {
    LocalTensor<T> x = xQueue_.template DeQue<T>();
    LocalTensor<T> y = yQueue_.template AllocTensor<T>();
    if constexpr (IsSameType<T, float>::value) {
      Evaluate(y, x, count);
    } else {
      LocalTensor<float> wideX = wideXBuffer_.Get<float>();
      LocalTensor<float> wideY = wideYBuffer_.Get<float>();
      Cast(wideX, x, RoundMode::CAST_NONE, count);
      Evaluate(wideY, wideX, count);
      Cast(y, wideY, RoundMode::CAST_RINT, count);
    }
    yQueue_.EnQue(y);
    xQueue_.FreeTensor(x);
  }

  __aicore__ inline void Evaluate(const LocalTensor<float>& y, const LocalTensor<float>& x, int32_t count) {
    LocalTensor<float> a = magnitudeBuffer_.Get<float>();
    LocalTensor<float> tail = tailBuffer_.Get<float>();
    LocalTensor<float> r = polynomialBuffer_.Get<float>();

    // max(x, 0) as x / 2 + |x| / 2: exact, keeps NaN, does not overflow
    Abs(a, x, count);
    Muls(y, x, 0.5f, count);
    Muls(r, a, 0.5f, count);
    Add(y, y, r, count);

    Mins(a, a, SATURATION, count);
    Gaussian(tail, a, count);
    Mul(tail, tail, a, count);
    TailRatio(r, a, count);
    Mul(tail, tail, r, count);
    Sub(y, y, tail, count);
  }

  // g = exp(-a * a / 2). For float32, a = h + l with h * h exact in float32, so that the rounding error of the square
  // is not magnified by the exponential: exp(-h * h / 2) * exp(-(a - h) * (a + h) / 2).
  __aicore__ inline void Gaussian(const LocalTensor<float>& g, const LocalTensor<float>& a, int32_t count) {
    if constexpr (IsSameType<T, float>::value) {
      LocalTensor<float> l = polynomialBuffer_.Get<float>();
      LocalTensor<float> sum = otherBuffer_.Get<float>();
      LocalTensor<half> h16 = otherBuffer_.Get<half>();
      Cast(h16, a, RoundMode::CAST_RINT, count);
      Cast(g, h16, RoundMode::CAST_NONE, count);
      Sub(l, a, g, count);
      Add(sum, a, g, count);
      Mul(g, g, g, count);
      Mul(l, l, sum, count);
      Muls(g, g, -0.5f, count);
      Muls(l, l, -0.5f, count);
      Exp(g, g, count);
      Exp(l, l, count);
      Mul(g, g, l, count);
    } else {
      Mul(g, a, a, count);
      Muls(g, g, -0.5f, count);
      Exp(g, g, count);
    }
  }

  // r = t * R(t); a is overwritten with t
  __aicore__ inline void TailRatio(const LocalTensor<float>& r, const LocalTensor<float>& a, int32_t count) {
    using Fit = TailFit<T>;
    LocalTensor<float> ones = otherBuffer_.Get<float>();
    Duplicate(ones, 1.0f, count);
    Muls(a, a, Fit::P, count);
    Adds(a, a, 1.0f, count);
    Div(a, ones, a, count);
    constexpr float leading = Fit::R[Fit::DEGREE];
    Muls(r, a, leading, count);
    Horner<Fit::DEGREE - 1>(r, a, count);
  }

  // Unrolled at compile time, so that every coefficient is an immediate operand.
  template <int32_t K>
  __aicore__ inline void Horner(const LocalTensor<float>& r, const LocalTensor<float>& t, int32_t count) {
    constexpr float coefficient = TailFit<T>::R[K];
    Adds(r, r, coefficient, count);
    Mul(r, r, t, count);
    if constexpr (K > 0) {
      Horner<K - 1>(r, t, count);
    }
  }

  __aicore__ inline void Store(uint64_t offset) {
    LocalTensor<T> y = yQueue_.template DeQue<T>();
    DataCopyPad(yGm_[offset], y, CopyAt(offset));
    yQueue_.FreeTensor(y);
  }

  TQue<QuePosition::VECIN, BUFFER_NUM> xQueue_;
  TQue<QuePosition::VECOUT, BUFFER_NUM> yQueue_;
  TBuf<TPosition::VECCALC> magnitudeBuffer_;
  TBuf<TPosition::VECCALC> tailBuffer_;
  TBuf<TPosition::VECCALC> polynomialBuffer_;
  TBuf<TPosition::VECCALC> otherBuffer_;
  TBuf<TPosition::VECCALC> wideXBuffer_;
  TBuf<TPosition::VECCALC> wideYBuffer_;
  GlobalTensor<T> xGm_;
  GlobalTensor<T> yGm_;
  uint64_t length_ = 0;
  uint32_t tileLength_ = 0;
};

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIV_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  KernelGelu<DTYPE_X> op;
  op.Init(x, y, tilingData, &pipe);
  op.Process();
}
