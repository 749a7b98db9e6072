#include "functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "numerics.h"

namespace npu_emu::functions {

namespace {

constexpr double infinity = __builtin_inf(), nan = __builtin_nan("");
constexpr double pi = 3.14159265358979323846, ln2 = 0.69314718055994530942;

// ln 2 in two pieces; products of the first with exponents are exact.
constexpr double ln2High = 0x1.62e42feep-1, ln2Low = 1.9082149292705878161e-10;

// c[0] + c[1] x + c[2] x^2 + ...
template <size_t n>
double series(const std::array<double, n>& c, double x) {
  double sum = c[n - 1];
  for (size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

// 1 / 0!, 1 / first!, ... : every `step`-th factorial, with alternating signs for sine and cosine.
template <size_t n>
constexpr std::array<double, n> factorials(unsigned first, unsigned step, bool alternating) {
  std::array<double, n> out{};
  double factorial = 1;
  for (unsigned i = 2; i <= first; ++i) factorial *= i;
  for (size_t i = 0; i < n; ++i) {
    out[i] = (alternating && i % 2 == 1 ? -1 : 1) / factorial;
    for (unsigned k = 1; k <= step; ++k) factorial *= first + static_cast<unsigned>(i) * step + k;
  }
  return out;
}

// 1, 1/3, 1/5, ...
template <size_t n>
constexpr std::array<double, n> oddReciprocals(bool alternating) {
  std::array<double, n> out{};
  for (size_t i = 0; i < n; ++i) out[i] = (alternating && i % 2 == 1 ? -1.0 : 1.0) / static_cast<double>(2 * i + 1);
  return out;
}

// x 2^exponent, for results down to the smallest double.
double scaled(double x, int exponent) {
  auto power = [](int n) { return bitCast<double>(static_cast<uint64_t>(n + 1023) << 52); };
  int half = exponent / 2;
  return x * power(half) * power(exponent - half);
}

bool isInteger(double x) { return std::trunc(x) == x; }
bool isOdd(double x) { return isInteger(x) && !isInteger(x / 2); }

// ---- several at once -----------------------------------------------------------------------------------------------
// What loops over many elements is written without branches: the compiler then computes several of them at a time, and all
// sides of every choice. Arguments that a side is not made for are replaced before.

// e^x where that is neither 0 nor infinite.
[[gnu::always_inline]] inline double finiteExponential(double x) {
  constexpr auto c = factorials<14>(0, 1, false);
  double k = std::nearbyint(x / ln2);
  return scaled(series(c, (x - k * ln2High) - k * ln2Low), static_cast<int>(k));
}

constexpr double infiniteAbove = 709.79, zeroBelow = -745.2;

[[gnu::always_inline]] inline double inlineExponential(double x) {
  double value = finiteExponential(x > infiniteAbove ? infiniteAbove : x < zeroBelow ? zeroBelow : x != x ? 0 : x);
  value = x > infiniteAbove ? infinity : value;
  value = x < zeroBelow ? 0 : value;
  return x != x ? x : value;
}

// e^x - 1, keeping what is left near 0.
[[gnu::always_inline]] inline double exponentialMinusOne(double x) {
  constexpr auto c = factorials<16>(1, 1, false);
  double near = x * series(c, x), far = inlineExponential(x) - 1;
  return std::fabs(x) < 0.35 ? near : far;
}

// ln (1 + x), keeping what is left near 0: the rounding of 1 + x is taken back.
double logarithmOfOnePlus(double x) {
  double u = 1 + x;
  if (u == 1 || x == infinity) return x;
  return logarithm(u) * (x / (u - 1));
}

// ---- angles --------------------------------------------------------------------------------------------------------

// x = rest + quadrant * pi / 2 with |rest| <= pi / 4.
struct Angle {
  double rest;
  unsigned quadrant;
};

Angle angleOf(double x) {
  // The first two pieces of pi / 2 have 33 bits: their products with the quarter turns of 2^20 are exact.
  constexpr double high = 0x1.921fb544p+0, middle = 0x1.0b4611a6p-34, low = 2.0222662487959507324e-21;
  double quarters = std::nearbyint(x * (2 / pi));
  double rest = ((x - quarters * high) - quarters * middle) - quarters * low;
  return {rest, static_cast<unsigned>(static_cast<int>(quarters)) & 3u};
}

bool isReducible(double x) { return std::fabs(x) <= 1048576; }

double sineOfRest(double x) {
  constexpr auto c = factorials<10>(1, 2, true);
  return x * series(c, x * x);
}

double cosineOfRest(double x) {
  constexpr auto c = factorials<11>(0, 2, true);
  return series(c, x * x);
}

[[gnu::always_inline]] inline double inlineSine(double x) {
  auto [rest, quadrant] = angleOf(isReducible(x) ? x : 0);
  double s = sineOfRest(rest), c = cosineOfRest(rest);
  double value = quadrant % 2 == 0 ? s : c;
  value = quadrant < 2 ? value : -value;
  value = x == 0 ? x : value;
  return isReducible(x) ? value : nan;
}

[[gnu::always_inline]] inline double inlineCosine(double x) {
  auto [rest, quadrant] = angleOf(isReducible(x) ? x : 0);
  double s = sineOfRest(rest), c = cosineOfRest(rest);
  double value = quadrant % 2 == 0 ? c : s;
  value = quadrant == 0 || quadrant == 3 ? value : -value;
  return isReducible(x) ? value : nan;
}

[[gnu::always_inline]] inline double inlineTangent(double x) {
  auto [rest, quadrant] = angleOf(isReducible(x) ? x : 0);
  double s = sineOfRest(rest), c = cosineOfRest(rest);
  double value = (quadrant % 2 == 0 ? s : -c) / (quadrant % 2 == 0 ? c : s);
  value = x == 0 ? x : value;
  return isReducible(x) ? value : nan;
}

// The angle is halved twice: tan(a / 2) = tan a / (1 + sqrt(1 + tan^2 a)).
[[gnu::always_inline]] inline double inlineArctangent(double x) {
  double t = std::fabs(x);
  bool inverted = t > 1;
  t = inverted ? 1 / t : t;
  t = t / (1 + std::sqrt(1 + t * t));
  t = t / (1 + std::sqrt(1 + t * t));
  constexpr auto c = oddReciprocals<13>(true);
  double angle = 4 * t * series(c, t * t);
  angle = inverted ? pi / 2 - angle : angle;
  return x != x ? x : std::copysign(angle, x);
}

[[gnu::always_inline]] inline double inlineArcsine(double x) {
  bool legal = std::fabs(x) <= 1;
  double inside = legal ? x : 0;
  double value = inlineArctangent(inside / std::sqrt((1 - inside) * (1 + inside)));
  return legal ? value : nan;
}

[[gnu::always_inline]] inline double inlineArccosine(double x) {
  bool legal = std::fabs(x) <= 1;
  double inside = legal ? x : 0;
  double value = 2 * inlineArctangent(std::sqrt((1 - inside) / (1 + inside)));
  return legal ? value : nan;
}

[[gnu::always_inline]] inline double inlineHyperbolicSine(double x) {
  double t = std::fabs(x);
  double grown = exponentialMinusOne(t);
  double near = (grown + grown / (grown + 1)) / 2, far = (inlineExponential(t) - inlineExponential(-t)) / 2;
  return std::copysign(t < 1 ? near : far, x);
}

[[gnu::always_inline]] inline double inlineHyperbolicCosine(double x) {
  return (inlineExponential(x) + inlineExponential(-x)) / 2;
}

[[gnu::always_inline]] inline double inlineHyperbolicTangent(double x) {
  double t = std::fabs(x);
  double grown = exponentialMinusOne(2 * t);
  double value = grown / (grown + 2);
  return std::copysign(t > 20 ? 1 : value, x);
}

// ---- gamma ---------------------------------------------------------------------------------------------------------

// ln gamma(2 + z) for |z| <= 1/2: (1 - euler) z + sum of (-1)^k (zeta(k) - 1) / k z^k.
double logGammaNearTwo(double z) {
  constexpr std::array<double, 29> c = {0,
                                        0.42278433509846713939,
                                        0.32246703342411321824,
                                        -0.067352301053198095133,
                                        0.020580808427784547879,
                                        -0.0073855510286739852663,
                                        0.0028905103307415232858,
                                        -0.0011927539117032609771,
                                        0.00050966952474304242234,
                                        -0.00022315475845357937976,
                                        0.000099457512781808533715,
                                        -0.0000449262367381331417,
                                        0.000020507212775670691553,
                                        -9.439488275268395904e-6,
                                        4.3748667899074878042e-6,
                                        -2.0392157538013662368e-6,
                                        9.5514121304074198329e-7,
                                        -4.4924691987645660433e-7,
                                        2.1207184805554665869e-7,
                                        -1.0043224823968099609e-7,
                                        4.7698101693639805658e-8,
                                        -2.271109460894316491e-8,
                                        1.0838659214896954091e-8,
                                        -5.1834750419700466551e-9,
                                        2.4836745438024783172e-9,
                                        -1.1921401405860912074e-9,
                                        5.7313672416788620133e-10,
                                        -2.7595228851242331452e-10,
                                        1.3304764374244489481e-10};
  return series(c, z);
}

constexpr double asymptoticFrom = 10;

double logGammaOfPositive(double x) {
  if (x < 0.5) return logGammaNearTwo(x) - logarithmOfOnePlus(x) - logarithm(x);
  if (x < 1.5) return logGammaNearTwo(x - 1) - logarithmOfOnePlus(x - 1);
  if (x < asymptoticFrom) {
    double product = 1;
    while (x >= 2.5) {
      x -= 1;
      product *= x;
    }
    return logGammaNearTwo(x - 2) + logarithm(product);
  }
  if (x == infinity) return x;
  // Stirling: B(2k) / (2k (2k - 1)) x^(1 - 2k).
  constexpr double halfLogOfTwoPi = 0.91893853320467274178;
  constexpr std::array<double, 8> c = {1.0 / 12,   -1.0 / 360,      1.0 / 1260, -1.0 / 1680,
                                       1.0 / 1188, -691.0 / 360360, 1.0 / 156,  -3617.0 / 122400};
  return (x - 0.5) * logarithm(x) - x + halfLogOfTwoPi + series(c, 1 / (x * x)) / x;
}

double digammaOfPositive(double x) {
  if (x == infinity) return x;
  double steps = 0;
  for (; x < asymptoticFrom; x += 1) steps += 1 / x;
  // B(2k) / 2k x^-2k
  constexpr std::array<double, 8> c = {1.0 / 12,  -1.0 / 120,     1.0 / 252, -1.0 / 240,
                                       1.0 / 132, -691.0 / 32760, 1.0 / 12,  -3617.0 / 8160};
  double square = 1 / (x * x);
  return logarithm(x) - 0.5 / x - square * series(c, square) - steps;
}

// ---- error function ------------------------------------------------------------------------------------------------

// e^(x^2) erfc(x) for x >= 0: (1 + 2 x) times it is a Chebyshev series in (x - 3.75) / (x + 3.75).
double scaledComplement(double x) {
  constexpr std::array<double, 25> c = {
      1.1775789345674017541,       -0.0045900545806464773309,  -0.084249133366517915584,   0.059209939998191890498,
      -0.026658668435305752277,    0.0090749976707052650939,   -0.0024131635404176081909,  0.00049077583652580863229,
      -0.000069169733025012063671, 4.1390279860730101675e-6,   7.7403830661984906686e-7,   -2.1886401049234395661e-7,
      1.0764999465670910377e-8,    4.5219598112182868979e-9,   -7.7544002088313511064e-10, -6.3180883408866844941e-11,
      2.8687950109306698983e-11,   1.9455868545777347179e-13,  -9.6546967484334389286e-13, 3.252548148148739486e-14,
      3.3478119482868049819e-14,   -1.8645628804193167851e-15, -1.2507950530688672201e-15, 7.4182352566239635388e-17,
      5.0681489047962194338e-17};
  double t = 2 * (x - 3.75) / (x + 3.75), next = 0, after = 0;
  for (size_t i = c.size() - 1; i > 0; --i) {
    double current = c[i] + t * next - after;
    after = next;
    next = current;
  }
  return (c[0] + t / 2 * next - after) / (1 + 2 * x);
}

constexpr double seriesOfErrorUpTo = 0.75;

// 2 / sqrt(pi) times the sum of (-1)^n x^(2n+1) / (n! (2n+1)).
double errorFunctionNearZero(double x) {
  constexpr double twoOverRootOfPi = 1.1283791670955125739;
  constexpr auto c = [] {
    auto out = factorials<16>(0, 1, true);
    for (size_t i = 0; i < out.size(); ++i) out[i] /= static_cast<double>(2 * i + 1);
    return out;
  }();
  return twoOverRootOfPi * x * series(c, x * x);
}

template <double (*f)(double)>
void each(double* x, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] = f(x[i]);
}

}  // namespace

double exponential(double x) {
  if (x != x) return x;
  if (x > infiniteAbove) return infinity;
  return x < zeroBelow ? 0 : finiteExponential(x);
}

double exponentialByTaylor(double x, int terms) {
  double whole = std::floor(x), rest = x - whole, power = 1, sum = 1;
  for (int i = 1; i <= terms; ++i) {
    power = power * rest / i;
    sum += power;
  }
  return exponential(whole) * sum;
}

void eachExponentialByTaylor(double* x, size_t n, int terms) {
  constexpr size_t batch = 64;  // several elements at once: a term waits for the one before
  for (; n > 0; x += std::min(batch, n), n -= std::min(batch, n)) {
    const size_t count = std::min(batch, n);
    double rest[batch], power[batch], sum[batch];
    for (size_t j = 0; j < count; ++j) rest[j] = x[j] - std::floor(x[j]), power[j] = sum[j] = 1;
    for (int i = 1; i <= terms; ++i) {
      for (size_t j = 0; j < count; ++j) sum[j] += power[j] = power[j] * rest[j] / i;
    }
    for (size_t j = 0; j < count; ++j) x[j] = exponential(std::floor(x[j])) * sum[j];
  }
}

// x = m 2^k with m from sqrt(1/2) to sqrt(2), ln m = 2 atanh((m - 1) / (m + 1)).
double logarithm(double x) {
  if (x != x || x == infinity) return x;
  if (x <= 0) return x == 0 ? -infinity : nan;
  double offset = 0;
  if (x < 0x1p-1022) {
    x *= 0x1p54;
    offset = -54;
  }
  uint64_t bits = bitCast<uint64_t>(x);
  int64_t exponent = static_cast<int64_t>(bits - 0x3fe6a09e667f3bcdu) >> 52;  // bits of sqrt(1/2)
  double m = bitCast<double>(bits - (static_cast<uint64_t>(exponent) << 52));
  double s = (m - 1) / (m + 1);
  constexpr auto c = oddReciprocals<12>(false);
  double k = static_cast<double>(exponent) + offset;
  return k * ln2High + (2 * s * series(c, s * s) + k * ln2Low);
}

void eachLogarithm(double* x, size_t n) {
  for (size_t i = 0; i < n; ++i) x[i] = logarithm(x[i]);
}

double power(double base, double exponent) {
  if (exponent == 0 || base == 1) return 1;
  if (base != base || exponent != exponent) return nan;
  double magnitude = std::fabs(base);
  if (std::fabs(exponent) == infinity) return magnitude == 1 ? 1 : (magnitude > 1) == (exponent > 0) ? infinity : 0;
  double sign = std::signbit(base) && isOdd(exponent) ? -1 : 1;
  if (magnitude == 0 || magnitude == infinity) return sign * ((magnitude == 0) == (exponent > 0) ? 0 : infinity);
  if (base < 0 && !isInteger(exponent)) return nan;
  return sign * exponential(exponent * logarithm(magnitude));
}

double sine(double x) { return inlineSine(x); }
double cosine(double x) { return inlineCosine(x); }
double tangent(double x) { return inlineTangent(x); }
double arctangent(double x) { return inlineArctangent(x); }
double arcsine(double x) { return inlineArcsine(x); }
double arccosine(double x) { return inlineArccosine(x); }
double hyperbolicSine(double x) { return inlineHyperbolicSine(x); }
double hyperbolicCosine(double x) { return inlineHyperbolicCosine(x); }
double hyperbolicTangent(double x) { return inlineHyperbolicTangent(x); }

double inverseHyperbolicSine(double x) {
  double t = std::fabs(x);
  return std::copysign(t > 1e150 ? t : logarithmOfOnePlus(t + t * t / (1 + std::sqrt(1 + t * t))), x);
}

double inverseHyperbolicCosine(double x) {
  if (!(x >= 1)) return nan;
  return logarithmOfOnePlus((x - 1) + std::sqrt((x - 1) * (x + 1)));
}

double inverseHyperbolicTangent(double x) {
  double t = std::fabs(x);
  if (!(t <= 1)) return nan;
  return std::copysign(logarithmOfOnePlus(2 * t / (1 - t)) / 2, x);
}

double errorFunction(double x) {
  if (std::fabs(x) < seriesOfErrorUpTo) return errorFunctionNearZero(x);
  return std::copysign(1 - complementaryErrorFunction(std::fabs(x)), x);
}

double complementaryErrorFunction(double x) {
  if (x != x) return x;
  if (std::fabs(x) < seriesOfErrorUpTo) return 1 - errorFunctionNearZero(x);
  double t = std::fabs(x);
  double tail = t > 27 ? 0 : exponential(-t * t) * scaledComplement(t);
  return x < 0 ? 2 - tail : tail;
}

void eachSine(double* x, size_t n) { each<inlineSine>(x, n); }
void eachCosine(double* x, size_t n) { each<inlineCosine>(x, n); }
void eachTangent(double* x, size_t n) { each<inlineTangent>(x, n); }
void eachArcsine(double* x, size_t n) { each<inlineArcsine>(x, n); }
void eachArccosine(double* x, size_t n) { each<inlineArccosine>(x, n); }
void eachArctangent(double* x, size_t n) { each<inlineArctangent>(x, n); }
void eachHyperbolicSine(double* x, size_t n) { each<inlineHyperbolicSine>(x, n); }
void eachHyperbolicCosine(double* x, size_t n) { each<inlineHyperbolicCosine>(x, n); }
void eachHyperbolicTangent(double* x, size_t n) { each<inlineHyperbolicTangent>(x, n); }

// Below 0 by reflection: gamma(x) gamma(-x) = -pi / (x sin(pi x)).
double logGamma(double x) {
  if (x != x) return x;
  if (x > 0) return logGammaOfPositive(x);
  if (isInteger(x)) return infinity;
  double rest = x - std::nearbyint(x);
  return logarithm(pi / std::fabs(x * sine(pi * rest))) - logGammaOfPositive(-x);
}

double digamma(double x) {
  if (x != x) return x;
  if (x > 0) return digammaOfPositive(x);
  if (x == 0) return std::copysign(infinity, -x);
  if (isInteger(x)) return nan;
  double rest = x - std::nearbyint(x);
  return digammaOfPositive(1 - x) - pi / tangent(pi * rest);
}

}  // namespace npu_emu::functions
