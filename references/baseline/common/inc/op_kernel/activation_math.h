// Activations and their derivatives, element by element in float32. Scratch tensors are as long as the others.
#pragma once

#include "op_kernel/row_math.h"

namespace activation {
using rows::Floats;

// y = x / (1 + exp(-scale * x)), which is x * sigmoid(scale * x); y is not x.
__aicore__ inline void Swish(const Floats& y, const Floats& x, float scale, int32_t count) {
  AscendC::Muls(y, x, -scale, count);
  AscendC::Exp(y, y, count);
  AscendC::Adds(y, y, 1.0f, count);
  AscendC::Div(y, x, y, count);
}

// s = sigmoid(scale * x); x may be s.
__aicore__ inline void Sigmoid(const Floats& s, const Floats& x, float scale, const Floats& scratch, int32_t count) {
  AscendC::Muls(s, x, -scale, count);
  AscendC::Exp(s, s, count);
  AscendC::Adds(s, s, 1.0f, count);
  AscendC::Duplicate(scratch, 1.0f, count);
  AscendC::Div(s, scratch, s, count);
}

// ---- GELU with the error function. With a = |x|, Phi(-a) = exp(-a * a / 2) * t * R(t) where t = 1 / (1 + p * a) and
// R is a polynomial: a minimax fit over 0 <= a <= 14 in the relative sense, good to 2e-8.

constexpr float SATURATION = 14.0f;  // from here on a * Phi(-a) is below the smallest float32
constexpr float TAIL_P = 0.345f;
constexpr int32_t TAIL_DEGREE = 8;
constexpr float TAIL_R[TAIL_DEGREE + 1] = {0.13761929f, 0.1380211f,  0.11723647f, 0.11180825f,  -0.037626285f,
                                           0.18723932f, -0.2712172f, 0.14530696f, -0.028387918f};

// Unrolled at compile time, so that every coefficient is an immediate operand.
template <int32_t K>
__aicore__ inline void Horner(const Floats& r, const Floats& t, int32_t count) {
  constexpr float coefficient = TAIL_R[K];
  AscendC::Adds(r, r, coefficient, count);
  AscendC::Mul(r, r, t, count);
  if constexpr (K > 0) {
    Horner<K - 1>(r, t, count);
  }
}

// g = exp(-a * a / 2). a = h + l with h * h exact in float32, so that the rounding error of the square is not magnified
// by the exponential: exp(-h * h / 2) * exp(-(a - h) * (a + h) / 2).
__aicore__ inline void Gaussian(const Floats& g, const Floats& a, const Floats& l, const Floats& sum, int32_t count) {
  const AscendC::LocalTensor<half> h16 = sum.template ReinterpretCast<half>();
  AscendC::Cast(h16, a, AscendC::RoundMode::CAST_RINT, count);
  AscendC::Cast(g, h16, AscendC::RoundMode::CAST_NONE, count);
  AscendC::Sub(l, a, g, count);
  AscendC::Add(sum, a, g, count);
  AscendC::Mul(g, g, g, count);
  AscendC::Mul(l, l, sum, count);
  AscendC::Muls(g, g, -0.5f, count);
  AscendC::Muls(l, l, -0.5f, count);
  AscendC::Exp(g, g, count);
  AscendC::Exp(l, l, count);
  AscendC::Mul(g, g, l, count);
}

// tail = Phi(-|x|), gaussian = exp(-x * x / 2).
__aicore__ inline void Tail(const Floats& tail, const Floats& gaussian, const Floats& x, const Floats& a,
                            const Floats& scratch, int32_t count) {
  AscendC::Abs(a, x, count);
  AscendC::Mins(a, a, SATURATION, count);
  Gaussian(gaussian, a, tail, scratch, count);
  AscendC::Duplicate(scratch, 1.0f, count);
  AscendC::Muls(a, a, TAIL_P, count);
  AscendC::Adds(a, a, 1.0f, count);
  AscendC::Div(a, scratch, a, count);
  constexpr float leading = TAIL_R[TAIL_DEGREE];
  AscendC::Muls(tail, a, leading, count);
  Horner<TAIL_DEGREE - 1>(tail, a, count);
  AscendC::Mul(tail, tail, gaussian, count);
}

constexpr uint32_t GELU_SCRATCH = 3;

// y = x * Phi(x) as max(x, 0) - |x| * Phi(-|x|): no cancellation in the negative tail; y is not x.
__aicore__ inline void GeluErf(const Floats& y, const Floats& x, const Floats* scratch, int32_t count) {
  const Floats tail = scratch[0];
  const Floats a = scratch[1];
  Tail(tail, y, x, a, scratch[2], count);
  AscendC::Abs(a, x, count);
  AscendC::Mul(tail, tail, a, count);
  // max(x, 0) as x / 2 + |x| / 2: exact, keeps NaN, does not overflow
  AscendC::Muls(a, a, 0.5f, count);
  AscendC::Muls(y, x, 0.5f, count);
  AscendC::Add(y, y, a, count);
  AscendC::Sub(y, y, tail, count);
}

// dy/dx = Phi(x) + x * phi(x).
__aicore__ inline void GeluErfSlope(const Floats& slope, const Floats& x, const Floats* scratch, int32_t count) {
  constexpr float INVERSE_ROOT_OF_2_PI = 0.3989422804f;
  constexpr float STEEP = 1e30f;
  const Floats tail = scratch[0];
  const Floats step = scratch[1];
  Tail(tail, slope, x, step, scratch[2], count);
  AscendC::Mul(slope, slope, x, count);
  AscendC::Muls(slope, slope, INVERSE_ROOT_OF_2_PI, count);
  AscendC::Add(slope, slope, tail, count);
  // Phi(x) is the tail, and 1 - tail for x > 0. Where the step is neither 0 nor 1, both are 1/2.
  AscendC::Muls(step, x, STEEP, count);
  AscendC::Mins(step, step, 1.0f, count);
  AscendC::Maxs(step, step, 0.0f, count);
  AscendC::Muls(tail, tail, -2.0f, count);
  AscendC::Adds(tail, tail, 1.0f, count);
  AscendC::Mul(tail, tail, step, count);
  AscendC::Add(slope, slope, tail, count);
}

// ---- GELU with tanh: x * sigmoid(2 * u) with u = sqrt(2 / pi) * (x + 0.044715 * x^3)

constexpr float TANH_LINEAR = 1.5957691216057308f;  // 2 * sqrt(2 / pi)
constexpr float TANH_CUBIC = 0.07135481282737242f;  // that times 0.044715
constexpr float MAX_EXPONENT = 87.0f;               // its exponential and the inverse of that are normal float32

// y = exp(-2 * u), held below infinity.
__aicore__ inline void TanhExponential(const Floats& y, const Floats& x, int32_t count) {
  AscendC::Mul(y, x, x, count);
  AscendC::Muls(y, y, -TANH_CUBIC, count);
  AscendC::Adds(y, y, -TANH_LINEAR, count);
  AscendC::Mul(y, y, x, count);
  AscendC::Mins(y, y, MAX_EXPONENT, count);
  AscendC::Exp(y, y, count);
}

__aicore__ inline void GeluTanh(const Floats& y, const Floats& x, int32_t count) {
  TanhExponential(y, x, count);
  AscendC::Adds(y, y, 1.0f, count);
  AscendC::Div(y, x, y, count);
}

// t + x * (2 * u)' * p * t^2 with p = exp(-2 * u), t = 1 / (1 + p): 1 - t would cancel.
__aicore__ inline void GeluTanhSlope(const Floats& slope, const Floats& x, const Floats* scratch, int32_t count) {
  const Floats p = scratch[0];
  const Floats t = scratch[1];
  TanhExponential(p, x, count);
  AscendC::Adds(t, p, 1.0f, count);
  AscendC::Duplicate(slope, 1.0f, count);
  AscendC::Div(t, slope, t, count);
  AscendC::Mul(p, p, t, count);
  AscendC::Mul(p, p, t, count);
  AscendC::Mul(slope, x, x, count);
  AscendC::Muls(slope, slope, 3.0f * TANH_CUBIC, count);
  AscendC::Adds(slope, slope, TANH_LINEAR, count);
  AscendC::Mul(slope, slope, x, count);
  AscendC::Mul(slope, slope, p, count);
  AscendC::Add(slope, slope, t, count);
}
}  // namespace activation
