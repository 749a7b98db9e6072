// Element-wise functions of the library. Each element is computed in double and rounded once; the clock takes the
// instructions that the library of Atlas A2 is made of.
#include "ascendc/library_function.h"

#include "functions.h"
#include "integer_power.h"
#include "library.h"
#include "numerics.h"
#include "saturation.h"
#include "api_calls.h"
#include "legal_library.h"

namespace npu_emu {

namespace {

using namespace functions;

// What a function does to an element of each source; `scalar` is its scalar operand.
using Element = double (*)(double a, double b, double scalar);

constexpr double nan = __builtin_nan("");

template <double (*f)(double)>
double of(double a, double, double) {
  return f(a);
}

// Results outside of a documented range are invalid: nobody shall take them for right.
constexpr double largestHalf = 65504;
template <double (*f)(double)>
double inRangeOfHalf(double a, double, double) {
  return std::fabs(a) <= largestHalf ? f(a) : nan;
}

double scaleAndAdd(double a, double b, double scalar) { return a * scalar + b; }
double atMost(double a, double, double scalar) { return isa::Min::element(a, scalar); }
double atLeast(double a, double, double scalar) { return isa::Max::element(a, scalar); }

double exponentialOf(double a, double, double terms) {
  return terms == 0 ? exponential(a) : exponentialByTaylor(a, static_cast<int>(terms));
}

// The steps of the documented formula in float, as the library takes them: the quotient is rounded before it is cut
// off.
double remainder(double a, double b, double) {
  float x = static_cast<float>(a), y = static_cast<float>(b);
  return static_cast<double>(x - std::trunc(x / y) * y);
}

double fraction(double a, double, double) { return a - std::trunc(a); }
double logarithmTo2(double a) { return logarithm(a) * 1.4426950408889634074; }
double logarithmTo10(double a) { return logarithm(a) * 0.43429448190325182765; }

double powerOfTensor(double a, double, double scalar) { return power(a, scalar); }
double powerOfScalar(double a, double, double scalar) { return power(scalar, a); }
double powerOfTensors(double a, double b, double) { return power(a, b); }

// The power to the magnitude of the exponent wraps; a negative exponent then takes its reciprocal, and 0 stays 0.
double integerPower(double a, double b) {
  auto base = static_cast<uint32_t>(static_cast<int32_t>(a)), result = 1u;
  for (auto left = static_cast<uint32_t>(std::fabs(b)); left != 0; left >>= 1) {
    if ((left & 1) != 0) result *= base;
    base *= base;
  }
  auto value = static_cast<int32_t>(result);
  if (b < 0 && value != 0) value = 1 / value;
  return value;
}

double sign(double a, double, double) { return a > 0 ? 1 : a < 0 ? -1 : 0; }
double exclusiveOr(double a, double b, double) { return static_cast<int32_t>(a) ^ static_cast<int32_t>(b); }

double swish(double x, double beta) { return x / (1 + exponential(-beta * x)); }
double swishOf(double a, double, double beta) { return swish(a, beta); }
double silu(double a) { return swish(a, 1); }
double sigmoid(double a) { return 1 / (1 + exponential(-a)); }
// Half of 1 + tanh y is 1 / (1 + e^-2y).
double gelu(double x) { return x / (1 + exponential(-1.5957691216057308 * (x + 0.044715 * x * x * x))); }
double fasterGelu(double x) { return swish(x, 1.702); }
double fasterGeluV2(double x) {
  double clipped = isa::Min::element(std::fabs(0.7071 * x), 1.769) - 1.769;
  double side = x + 1e-12 < 0 ? -1 : 1;
  return x * (side * (-0.1444 * clipped * clipped + 0.5) + 0.5);
}
double geglu(double a, double b, double) {
  return a * (b / (1 + exponential(-0.0713548162726 * b * (b * b + 22.363860002236))));
}
double swiglu(double a, double b, double beta) { return a * swish(b, beta); }
double reglu(double a, double b, double) { return a * isa::Max::element(b, 0.0); }

// Instructions of a piece; those without a name take a cycle for each repeat. `laneBytes` is the type they compute in.
struct Work {
  uint16_t simple;
  uint8_t divisions = 0, exponentials = 0, roots = 0;
  uint8_t laneBytes = 4;
  uint8_t halves = 0;      // simple ones of float16, where all others are of float
  uint8_t selections = 0;  // each after its scalar is loaded
  uint8_t masks = 0;       // of masks, which are no longer than a repeat
  uint8_t beside = 0;      // simple ones that do not wait for the one before

  // Of a piece of so many repeats: each takes three cycles at least, or as many as its issue.
  uint64_t cyclesOf(uint32_t repeats) const {
    const auto cycles = [&](Cost cost, uint32_t least = 3) {
      const float each = laneBytes == 2 ? cost.c16 : cost.c32;
      return std::max<uint64_t>(least, static_cast<uint64_t>(static_cast<float>(repeats) * each));
    };
    return (simple - beside) * cycles(isa::simpleCost) + beside * cycles(isa::simpleCost, usualIssueCycles) +
           divisions * cycles(isa::divisionCost) + exponentials * cycles(isa::exponentialCost) +
           roots * cycles(isa::squareRootCost) + halves * std::max(3u, (repeats + 1) / 2) +
           selections * (maskRegisterCycles + cycles(selectCost)) + masks * 3;
  }
  // Cycles until the results of all of them are there, one after the other.
  uint32_t tails() const {
    return (simple - beside + halves + masks) * isa::simpleCost.tail + divisions * isa::divisionCost.tail +
           exponentials * isa::exponentialCost.tail + roots * isa::squareRootCost.tail +
           selections * (maskRegisterTail + selectCost.tail);
  }
};

// Whether the destination may be the source: the documentation says so; or it forbids it but the library has read the
// source before it writes; or the library still reads the source afterwards.
enum InPlace : uint8_t { Documented, Harmless, Wrong };

struct Rule {
  Function function;
  const char* name;
  const char* sizeHelper;  // "-": needs no temporary memory
  Element element;
  Work half, single;
  InPlace halfInPlace, singleInPlace;
  bool usesReservedArea = false;
  // Of the last instruction. What is computed in float of halves ends with a conversion.
  uint32_t halfTail = isa::simpleCost.tail, singleTail = isa::simpleCost.tail;
};

constexpr Rule rules[] = {
    {Function::Acos,
     "Acos",
     "GetAcosMaxMinTmpSize",
     of<arccosine>,
     {32, 1, 0, 1, 4, 29},
     {55, 1, 0, 2, 4, 0, 0, 0, 2},
     Wrong,
     Wrong},
    {Function::Acosh,
     "Acosh",
     "GetAcoshMaxMinTmpSize",
     inRangeOfHalf<inverseHyperbolicCosine>,
     {6, 1, 1, 1},
     {4, 1, 1, 1},
     Harmless,
     Harmless,
     false,
     isa::simpleCost.tail,
     isa::exponentialCost.tail},
    {Function::Asin,
     "Asin",
     "GetAsinMaxMinTmpSize",
     of<arcsine>,
     {29, 1, 0, 1, 4, 29},
     {53, 1, 0, 2, 4, 0, 0, 0, 1},
     Wrong,
     Wrong},
    {Function::Asinh,
     "Asinh",
     "GetAsinhMaxMinTmpSize",
     inRangeOfHalf<inverseHyperbolicSine>,
     {11, 1, 1, 1},
     {8, 1, 1, 1},
     Harmless,
     Harmless},
    {Function::Atan,
     "Atan",
     "GetAtanMaxMinTmpSize",
     of<arctangent>,
     {75, 4, 0, 0, 4, 0, 0, 0, 8},
     {73, 4, 0, 0, 4, 0, 0, 0, 8},
     Harmless,
     Harmless},
    {Function::Atanh,
     "Atanh",
     "GetAtanhMaxMinTmpSize",
     of<inverseHyperbolicTangent>,
     {6, 1, 1},
     {4, 1, 1},
     Harmless,
     Harmless},
    {Function::Axpy, "Axpy", "GetAxpyMaxMinTmpSize", scaleAndAdd, {5}, {1}, Harmless, Harmless},
    {Function::Ceil, "Ceil", "GetCeilMaxMinTmpSize", of<std::ceil>, {3}, {1}, Harmless, Harmless},
    {Function::ClampMax, "ClampMax", "GetClampMaxMinTmpSize", atMost, {1, 0, 0, 0, 2}, {1}, Harmless, Harmless},
    {Function::ClampMin, "ClampMin", "GetClampMaxMinTmpSize", atLeast, {1, 0, 0, 0, 2}, {1}, Harmless, Harmless},
    {Function::Cos, "Cos", "GetCosMaxMinTmpSize", inRangeOfHalf<cosine>, {36}, {34}, Harmless, Harmless},
    {Function::Cosh, "Cosh", "GetCoshMaxMinTmpSize", of<hyperbolicCosine>, {5, 1, 1}, {3, 1, 1}, Harmless, Harmless},
    {Function::Digamma,
     "Digamma",
     "GetDigammaMaxMinTmpSize",
     of<digamma>,
     {182, 11, 2, 0, 4, 0, 6, 6, 4},
     {156, 23, 2, 0, 4, 0, 7, 6, 19},
     Harmless,
     Wrong,
     true},
    {Function::Erf,
     "Erf",
     "GetErfMaxMinTmpSize",
     of<errorFunction>,
     {25, 1},
     {23, 1},
     Harmless,
     Harmless,
     false,
     isa::simpleCost.tail,
     isa::divisionCost.tail},
    {Function::Erfc,
     "Erfc",
     "GetErfcMaxMinTmpSize",
     of<complementaryErrorFunction>,
     {39, 2, 1},
     {37, 2, 1},
     Harmless,
     Harmless},
    {Function::Exp, "Exp", "GetExpMaxMinTmpSize", exponentialOf, {8, 0, 1}, {7, 0, 1}, Harmless, Harmless},
    {Function::Floor, "Floor", "GetFloorMaxMinTmpSize", of<std::floor>, {3}, {1}, Harmless, Harmless},
    {Function::Fmod, "Fmod", "GetFmodMaxMinTmpSize", remainder, {6, 1, 0, 0, 4, 0, 0, 0, 1}, {3, 1}, Harmless, Wrong},
    {Function::Frac, "Frac", "GetFracMaxMinTmpSize", fraction, {4}, {2}, Harmless, Wrong},
    {Function::Lgamma,
     "Lgamma",
     "GetLgammaMaxMinTmpSize",
     of<logGamma>,
     {91, 5, 13, 0, 4, 0, 4, 4, 0},
     {179, 1, 4, 0, 4, 0, 14, 12, 0},
     Harmless,
     Harmless,
     true},
    {Function::Log,
     "Log",
     "-",
     of<logarithm>,
     {0, 0, 1, 0, 2},
     {0, 0, 1},
     Harmless,
     Harmless,
     false,
     isa::exponentialCost.tail,
     isa::exponentialCost.tail},
    {Function::Log2, "Log2", "GetLog2MaxMinTmpSize", of<logarithmTo2>, {3, 0, 1}, {1, 0, 1}, Harmless, Harmless},
    {Function::Log10, "Log10", "-", of<logarithmTo10>, {1, 0, 1, 0, 2}, {1, 0, 1}, Harmless, Harmless},
    {Function::PowerTensors,
     "Power",
     "GetPowerMaxMinTmpSize",
     powerOfTensors,
     {33, 0, 2, 0, 4, 0, 3, 7, 5},
     {30, 0, 2, 0, 4, 0, 3, 7, 3},
     Harmless,
     Wrong,
     true},
    {Function::PowerOfTensor,
     "Power",
     "GetPowerMaxMinTmpSize",
     powerOfTensor,
     {33, 0, 2, 0, 4, 0, 3, 7, 5},
     {31, 0, 2, 0, 4, 0, 3, 7, 3},
     Harmless,
     Wrong,
     true},
    {Function::PowerOfScalar,
     "Power",
     "GetPowerMaxMinTmpSize",
     powerOfScalar,
     {33, 0, 2, 0, 4, 0, 3, 7, 4},
     {31, 0, 2, 0, 4, 0, 3, 7, 3},
     Harmless,
     Wrong,
     true},
    {Function::Round, "Round", "GetRoundMaxMinTmpSize", of<std::nearbyint>, {3}, {1}, Documented, Documented},
    {Function::Sign,
     "Sign",
     "GetSignMaxMinTmpSize",
     sign,
     {6, 0, 0, 0, 2, 0, 2, 0, 2},
     {6, 0, 0, 0, 4, 0, 2, 0, 2},
     Wrong,
     Wrong,
     true},
    {Function::Sin, "Sin", "GetSinMaxMinTmpSize", inRangeOfHalf<sine>, {29}, {27}, Harmless, Harmless},
    {Function::Sinh, "Sinh", "GetSinhMaxMinTmpSize", of<hyperbolicSine>, {6, 0, 2}, {4, 0, 2}, Harmless, Harmless},
    {Function::Tan,
     "Tan",
     "GetTanMaxMinTmpSize",
     inRangeOfHalf<tangent>,
     {33, 1},
     {32, 1},
     Harmless,
     Harmless,
     false,
     isa::simpleCost.tail,
     isa::divisionCost.tail},
    {Function::Tanh,
     "Tanh",
     "GetTanhMaxMinTmpSize",
     of<hyperbolicTangent>,
     {7, 1, 1},
     {5, 1, 1},
     Harmless,
     Harmless,
     false,
     isa::simpleCost.tail,
     isa::divisionCost.tail},
    {Function::Trunc, "Trunc", "GetTruncMaxMinTmpSize", of<std::trunc>, {3}, {1}, Documented, Documented},
    {Function::Xor, "Xor", "GetXorMaxMinTmpSize", exclusiveOr, {4, 0, 0, 0, 2, 0, 0, 0, 1}, {4}, Wrong, Wrong},
    {Function::FasterGelu,
     "FasterGelu",
     "GetGeluMaxMinTmpSize",
     of<fasterGelu>,
     {2, 1, 1, 0, 2},
     {2, 1, 1},
     Documented,
     Documented,
     false,
     isa::divisionCost.tail,
     isa::divisionCost.tail},
    {Function::FasterGeluV2,
     "FasterGeluV2",
     "GetGeluMaxMinTmpSize",
     of<fasterGeluV2>,
     {12, 1, 0, 0, 2},
     {12, 1},
     Documented,
     Documented},
    {Function::GeGLU, "GeGLU", "GetGeGLUMaxMinTmpSize", geglu, {9, 1, 1}, {6, 1, 1}, Harmless, Wrong},
    {Function::Gelu, "Gelu", "GetGeluMaxMinTmpSize", of<gelu>, {10, 1, 2, 0, 2}, {10, 1, 2}, Documented, Documented},
    {Function::ReGlu, "ReGlu", "GetReGluMaxMinTmpSize", reglu, {5, 0, 0, 0, 4, 0, 0, 0, 1}, {2}, Harmless, Wrong},
    {Function::Sigmoid,
     "Sigmoid",
     "GetSigmoidMaxMinTmpSize",
     of<sigmoid>,
     {3, 1, 1, 0, 2, 0, 0, 0, 1},
     {3, 1, 1, 0, 4, 0, 0, 0, 1},
     Harmless,
     Harmless,
     false,
     isa::divisionCost.tail,
     isa::divisionCost.tail},
    {Function::Silu,
     "Silu",
     "-",
     of<silu>,
     {2, 1, 1, 0, 2},
     {2, 1, 1},
     Wrong,
     Wrong,
     false,
     isa::divisionCost.tail,
     isa::divisionCost.tail},
    {Function::SwiGLU, "SwiGLU", "GetSwiGLUMaxMinTmpSize", swiglu, {6, 1, 1}, {3, 1, 1}, Harmless, Wrong},
    {Function::Swish,
     "Swish",
     "-",
     swishOf,
     {2, 1, 1, 0, 2},
     {2, 1, 1},
     Wrong,
     Wrong,
     false,
     isa::divisionCost.tail,
     isa::divisionCost.tail},
};

constexpr bool isInOrder() {
  for (size_t i = 0; i < std::size(rules); ++i)
    if (rules[i].function != static_cast<Function>(i)) return false;
  return std::size(rules) == static_cast<size_t>(Function::Count);
}
static_assert(isInOrder(), "a rule for each function, in the order of the functions");

// Where a source of an instruction lies: at an operand, or so many bytes for each element of a piece into the temporary memory.
using Place = int8_t;
constexpr Place toDst = -1, ofSrc0 = -2, ofSrc1 = -3;

// How a function computes: float, float16, or float16 in float where it need not.
enum class Of : uint8_t { Words, Halves, Widened, Both };

// Instructions with two sources, which may lie in the same banks: then they take twice as long.
struct Meeting {
  Function function;
  Of types;
  Place one, other;
  uint8_t times;
  Cost cost = isa::simpleCost;
};

constexpr Meeting meetings[] = {
    {Function::Acos, Of::Words, 0, 4, 7},
    {Function::Acos, Of::Words, 0, 4, 1, isa::divisionCost},
    {Function::Acos, Of::Words, 0, toDst, 8},
    {Function::Acos, Of::Words, 4, toDst, 3},
    {Function::Acos, Of::Halves, 0, 4, 10},
    {Function::Acos, Of::Halves, 8, toDst, 3},
    {Function::Acos, Of::Halves, 10, toDst, 1},
    {Function::Acos, Of::Halves, 8, 10, 2},
    {Function::Asin, Of::Words, 0, 4, 7},
    {Function::Asin, Of::Words, 0, 4, 1, isa::divisionCost},
    {Function::Asin, Of::Words, 0, toDst, 8},
    {Function::Asin, Of::Words, 4, toDst, 3},
    {Function::Asin, Of::Halves, 0, 4, 10},
    {Function::Asin, Of::Halves, 8, toDst, 3},
    {Function::Asin, Of::Halves, 10, toDst, 1},
    {Function::Asin, Of::Halves, 8, 10, 2},
    {Function::Acosh, Of::Words, 0, toDst, 1},
    {Function::Acosh, Of::Words, 0, ofSrc0, 1},
    {Function::Acosh, Of::Halves, 0, 4, 2},
    {Function::Asinh, Of::Both, 0, 8, 2},
    {Function::Asinh, Of::Both, 0, 4, 1, isa::divisionCost},
    {Function::Atan, Of::Both, 0, 12, 3},
    {Function::Atan, Of::Both, 0, 12, 3, isa::divisionCost},
    {Function::Atan, Of::Both, 0, 16, 5},
    {Function::Atan, Of::Both, 12, 16, 6},
    {Function::Atan, Of::Both, 12, 16, 1, isa::divisionCost},
    {Function::Atan, Of::Words, 0, toDst, 2},
    {Function::Atan, Of::Words, 8, toDst, 1},
    {Function::Atan, Of::Words, 12, toDst, 2},
    {Function::Atan, Of::Words, 16, toDst, 3},
    {Function::Atan, Of::Halves, 0, 20, 2},
    {Function::Atan, Of::Halves, 8, 20, 1},
    {Function::Atan, Of::Halves, 12, 20, 2},
    {Function::Atan, Of::Halves, 16, 20, 3},
    {Function::Atanh, Of::Words, 0, toDst, 1, isa::divisionCost},
    {Function::Atanh, Of::Halves, 0, 4, 1, isa::divisionCost},
    {Function::Axpy, Of::Halves, 0, 4, 1},
    {Function::Cos, Of::Words, 0, 4, 3},
    {Function::Cos, Of::Words, 0, 8, 1},
    {Function::Cos, Of::Words, 0, toDst, 2},
    {Function::Cos, Of::Words, 4, 8, 4},
    {Function::Cos, Of::Words, 4, ofSrc0, 1},
    {Function::Cos, Of::Halves, 0, 4, 2},
    {Function::Cos, Of::Halves, 0, 8, 1},
    {Function::Cos, Of::Halves, 4, 8, 3},
    {Function::Cos, Of::Halves, 4, 12, 1},
    {Function::Cos, Of::Halves, 8, 12, 4},
    {Function::Cosh, Of::Words, 0, 4, 1},
    {Function::Cosh, Of::Words, 0, toDst, 1, isa::divisionCost},
    {Function::Cosh, Of::Halves, 0, 4, 1},
    {Function::Cosh, Of::Halves, 0, 8, 1, isa::divisionCost},
    {Function::Digamma, Of::Words, 0, 4, 2},
    {Function::Digamma, Of::Words, 0, 8, 4},
    {Function::Digamma, Of::Words, 0, 16, 1},
    {Function::Digamma, Of::Words, 4, 8, 33},
    {Function::Digamma, Of::Words, 4, 16, 2},
    {Function::Digamma, Of::Words, 4, 20, 3, isa::divisionCost},
    {Function::Digamma, Of::Words, 8, 16, 6},
    {Function::Digamma, Of::Words, 8, 20, 14},
    {Function::Digamma, Of::Words, 8, 20, 18, isa::divisionCost},
    {Function::Digamma, Of::Words, 12, 16, 2},
    {Function::Digamma, Of::Words, 12, 20, 1, isa::divisionCost},
    {Function::Digamma, Of::Words, 12, toDst, 5},
    {Function::Digamma, Of::Words, 20, ofSrc0, 7},
    {Function::Digamma, Of::Words, 20, ofSrc0, 1, isa::divisionCost},
    {Function::Digamma, Of::Words, 4, ofSrc0, 1},
    {Function::Digamma, Of::Halves, 0, 4, 9},
    {Function::Digamma, Of::Halves, 0, 8, 1},
    {Function::Digamma, Of::Halves, 0, 12, 3},
    {Function::Digamma, Of::Halves, 0, 20, 1},
    {Function::Digamma, Of::Halves, 0, 24, 12},
    {Function::Digamma, Of::Halves, 0, 24, 1, isa::divisionCost},
    {Function::Digamma, Of::Halves, 4, 8, 6},
    {Function::Digamma, Of::Halves, 4, 16, 6},
    {Function::Digamma, Of::Halves, 4, 20, 5},
    {Function::Digamma, Of::Halves, 4, 24, 8},
    {Function::Digamma, Of::Halves, 4, 24, 3, isa::divisionCost},
    {Function::Digamma, Of::Halves, 8, 12, 1},
    {Function::Digamma, Of::Halves, 8, 24, 3},
    {Function::Digamma, Of::Halves, 8, 24, 4, isa::divisionCost},
    {Function::Digamma, Of::Halves, 12, 24, 6},
    {Function::Digamma, Of::Halves, 12, 24, 1, isa::divisionCost},
    {Function::Digamma, Of::Halves, 16, 20, 1},
    {Function::Digamma, Of::Halves, 20, 24, 11},
    {Function::Digamma, Of::Halves, 20, 24, 2, isa::divisionCost},
    {Function::Erf, Of::Both, 0, 8, 8},
    {Function::Erf, Of::Both, 4, 8, 1, isa::divisionCost},
    {Function::Erf, Of::Words, 8, toDst, 1},
    {Function::Erf, Of::Halves, 8, 12, 1},
    {Function::Erfc, Of::Both, 0, 8, 5},
    {Function::Erfc, Of::Both, 0, 12, 7},
    {Function::Erfc, Of::Both, 4, 8, 1},
    {Function::Erfc, Of::Both, 8, 12, 1, isa::divisionCost},
    {Function::Erfc, Of::Words, 0, toDst, 1, isa::divisionCost},
    {Function::Erfc, Of::Words, 8, toDst, 1},
    {Function::Erfc, Of::Halves, 0, 20, 1, isa::divisionCost},
    {Function::Erfc, Of::Halves, 8, 20, 1},
    {Function::Fmod, Of::Words, ofSrc0, ofSrc1, 1, isa::divisionCost},
    {Function::Fmod, Of::Words, toDst, ofSrc1, 1},
    {Function::Fmod, Of::Words, toDst, ofSrc0, 1},
    {Function::Fmod, Of::Halves, 4, 8, 1, isa::divisionCost},
    {Function::Fmod, Of::Halves, 0, 8, 1},
    {Function::Fmod, Of::Halves, 0, 4, 1},
    {Function::Frac, Of::Words, toDst, ofSrc0, 1},
    {Function::Frac, Of::Halves, 0, 4, 1},
    {Function::Lgamma, Of::Words, 0, 4, 30},
    {Function::Lgamma, Of::Words, 0, 8, 11},
    {Function::Lgamma, Of::Words, 0, 12, 4},
    {Function::Lgamma, Of::Words, 0, 16, 6},
    {Function::Lgamma, Of::Words, 0, 20, 24},
    {Function::Lgamma, Of::Words, 0, toDst, 3},
    {Function::Lgamma, Of::Words, 0, ofSrc0, 2},
    {Function::Lgamma, Of::Words, 4, 8, 1},
    {Function::Lgamma, Of::Words, 4, 8, 1, isa::divisionCost},
    {Function::Lgamma, Of::Words, 4, 20, 1},
    {Function::Lgamma, Of::Halves, 0, 12, 1},
    {Function::Lgamma, Of::Halves, 0, 16, 2},
    {Function::Lgamma, Of::Halves, 4, 12, 1},
    {Function::Lgamma, Of::Halves, 4, 16, 2},
    {Function::Lgamma, Of::Halves, 4, 28, 1},
    {Function::Lgamma, Of::Halves, 8, 28, 1, isa::divisionCost},
    {Function::Lgamma, Of::Halves, 8, 36, 1},
    {Function::Lgamma, Of::Halves, 8, 40, 1, isa::divisionCost},
    {Function::Lgamma, Of::Halves, 12, 32, 1},
    {Function::Lgamma, Of::Halves, 12, 36, 1, isa::divisionCost},
    {Function::Lgamma, Of::Halves, 12, 44, 1},
    {Function::Lgamma, Of::Halves, 12, 48, 1, isa::divisionCost},
    {Function::Lgamma, Of::Halves, 28, 40, 3},
    {Function::Lgamma, Of::Halves, 32, 36, 5},
    {Function::Lgamma, Of::Halves, 32, 36, 1, isa::divisionCost},
    {Function::Lgamma, Of::Halves, 32, 40, 1},
    {Function::Lgamma, Of::Halves, 36, 40, 4},
    {Function::Lgamma, Of::Halves, 36, 44, 1},
    {Function::Lgamma, Of::Halves, 36, 48, 2},
    {Function::Lgamma, Of::Halves, 40, 44, 6},
    {Function::Lgamma, Of::Halves, 40, 48, 1},
    {Function::Lgamma, Of::Halves, 44, 48, 1},
    {Function::PowerTensors, Of::Words, 0, 4, 1},
    {Function::PowerTensors, Of::Words, 4, 8, 1},
    {Function::PowerTensors, Of::Words, 4, toDst, 1},
    {Function::PowerTensors, Of::Words, toDst, ofSrc1, 1},
    {Function::PowerTensors, Of::Halves, 4, 8, 1},
    {Function::PowerTensors, Of::Halves, 8, 16, 1},
    {Function::PowerTensors, Of::Halves, 12, 16, 1},
    {Function::PowerTensors, Of::Halves, 16, 20, 1},
    {Function::PowerOfTensor, Of::Words, 0, toDst, 1},
    {Function::PowerOfTensor, Of::Words, 4, 8, 1},
    {Function::PowerOfTensor, Of::Words, 8, 12, 1},
    {Function::PowerOfTensor, Of::Words, 8, toDst, 1},
    {Function::PowerOfTensor, Of::Halves, 4, 8, 1},
    {Function::PowerOfTensor, Of::Halves, 8, 16, 1},
    {Function::PowerOfTensor, Of::Halves, 12, 16, 1},
    {Function::PowerOfTensor, Of::Halves, 16, 20, 1},
    {Function::PowerOfScalar, Of::Words, 4, 8, 1},
    {Function::PowerOfScalar, Of::Words, 8, 12, 1},
    {Function::PowerOfScalar, Of::Words, 8, toDst, 1},
    {Function::PowerOfScalar, Of::Words, toDst, ofSrc0, 1},
    {Function::PowerOfScalar, Of::Halves, 4, 8, 1},
    {Function::PowerOfScalar, Of::Halves, 8, 16, 1},
    {Function::PowerOfScalar, Of::Halves, 12, 16, 1},
    {Function::PowerOfScalar, Of::Halves, 16, 20, 1},
    {Function::Sin, Of::Words, 0, 4, 3},
    {Function::Sin, Of::Words, 0, 8, 1},
    {Function::Sin, Of::Words, 0, toDst, 2},
    {Function::Sin, Of::Words, 4, 8, 3},
    {Function::Sin, Of::Words, 4, ofSrc0, 1},
    {Function::Sin, Of::Halves, 0, 4, 2},
    {Function::Sin, Of::Halves, 0, 8, 1},
    {Function::Sin, Of::Halves, 4, 8, 3},
    {Function::Sin, Of::Halves, 4, 12, 1},
    {Function::Sin, Of::Halves, 8, 12, 3},
    {Function::Sign, Of::Both, ofSrc0, toDst, 2},
    {Function::Sinh, Of::Words, 0, toDst, 1},
    {Function::Sinh, Of::Halves, 0, 4, 1},
    {Function::Tan, Of::Words, 0, 4, 1},
    {Function::Tan, Of::Words, 0, 8, 1},
    {Function::Tan, Of::Words, 0, toDst, 1},
    {Function::Tan, Of::Words, 0, toDst, 1, isa::divisionCost},
    {Function::Tan, Of::Words, 4, toDst, 3},
    {Function::Tan, Of::Words, 8, toDst, 3},
    {Function::Tan, Of::Words, 12, toDst, 6},
    {Function::Tan, Of::Halves, 0, 4, 6},
    {Function::Tan, Of::Halves, 0, 8, 1},
    {Function::Tan, Of::Halves, 0, 8, 1, isa::divisionCost},
    {Function::Tan, Of::Halves, 0, 12, 3},
    {Function::Tan, Of::Halves, 0, 16, 3},
    {Function::Tan, Of::Halves, 8, 12, 1},
    {Function::Tan, Of::Halves, 8, 16, 1},
    {Function::Tanh, Of::Words, 0, toDst, 1, isa::divisionCost},
    {Function::Tanh, Of::Halves, 0, 4, 1, isa::divisionCost},
    {Function::Xor, Of::Both, ofSrc0, ofSrc1, 2},
    {Function::Xor, Of::Both, 0, toDst, 1},
    {Function::FasterGelu, Of::Words, 0, ofSrc0, 1, isa::divisionCost},
    {Function::FasterGelu, Of::Halves, 0, ofSrc0, 1, isa::divisionCost},
    {Function::FasterGelu, Of::Widened, 0, 4, 1, isa::divisionCost},
    {Function::FasterGeluV2, Of::Words, 0, 4, 1},
    {Function::FasterGeluV2, Of::Words, 0, ofSrc0, 1},
    {Function::FasterGeluV2, Of::Words, 4, 8, 1, isa::divisionCost},
    {Function::FasterGeluV2, Of::Halves, 0, 2, 1},
    {Function::FasterGeluV2, Of::Halves, 0, ofSrc0, 1},
    {Function::FasterGeluV2, Of::Halves, 2, 4, 1, isa::divisionCost},
    {Function::FasterGeluV2, Of::Widened, 0, 4, 1},
    {Function::FasterGeluV2, Of::Widened, 0, 12, 1},
    {Function::FasterGeluV2, Of::Widened, 4, 8, 1, isa::divisionCost},
    {Function::GeGLU, Of::Words, toDst, ofSrc0, 1},
    {Function::GeGLU, Of::Words, toDst, ofSrc1, 1},
    {Function::GeGLU, Of::Words, toDst, ofSrc1, 1, isa::divisionCost},
    {Function::GeGLU, Of::Halves, 0, 4, 2},
    {Function::GeGLU, Of::Halves, 0, 4, 1, isa::divisionCost},
    {Function::Gelu, Of::Words, 0, 4, 1},
    {Function::Gelu, Of::Words, 0, ofSrc0, 2},
    {Function::Gelu, Of::Words, 0, ofSrc0, 1, isa::divisionCost},
    {Function::Gelu, Of::Halves, 0, 2, 1},
    {Function::Gelu, Of::Halves, 0, ofSrc0, 2},
    {Function::Gelu, Of::Halves, 0, ofSrc0, 1, isa::divisionCost},
    {Function::Gelu, Of::Widened, 0, 4, 1},
    {Function::Gelu, Of::Widened, 0, 8, 2},
    {Function::Gelu, Of::Widened, 0, 8, 1, isa::divisionCost},
    {Function::ReGlu, Of::Words, toDst, ofSrc0, 1},
    {Function::ReGlu, Of::Halves, 0, 8, 1},
    {Function::Sigmoid, Of::Both, 0, toDst, 1, isa::divisionCost},
    {Function::Silu, Of::Both, toDst, ofSrc0, 1, isa::divisionCost},
    {Function::Swish, Of::Both, toDst, ofSrc0, 1, isa::divisionCost},
    {Function::SwiGLU, Of::Words, toDst, ofSrc1, 1, isa::divisionCost},
    {Function::SwiGLU, Of::Words, toDst, ofSrc0, 1},
    {Function::SwiGLU, Of::Halves, 0, 4, 1, isa::divisionCost},
    {Function::SwiGLU, Of::Halves, 4, 8, 1},
    {Function::Exp, Of::Words, 0, 8, 1},
    {Function::Exp, Of::Words, 8, toDst, 1},
    {Function::Exp, Of::Halves, 0, 12, 1},
    {Function::Exp, Of::Halves, 8, 12, 1},
};

// For each further term of a series.
constexpr Meeting meetingsOfTerm[] = {
    {Function::Exp, Of::Words, 0, 4, 1},
    {Function::Exp, Of::Words, 4, toDst, 1},
    {Function::Exp, Of::Halves, 0, 4, 1},
    {Function::Exp, Of::Halves, 4, 8, 1},
};

// What a call needs and costs beyond its rule.
struct Plan {
  TemporaryArea area;
  Work work;
  InPlace inPlace;
  uint32_t tail;  // until the results of the last piece are there
  Of types;
  uint32_t elementBytes;  // of temporary memory, for each element of a piece
  uint32_t terms = 1;
  bool isQuick = false;  // multiplies by a reciprocal rather than divides

  // Elements that there is room for: how many the library computes at a time.
  uint32_t roomIn(uint32_t bytes) const {
    return elementBytes == 0 ? 32 : bytes <= area.extra ? 0 : (bytes - area.extra) / elementBytes / 32 * 32;
  }
};

// Some functions take other parts of the memory than the helper on the host says.
uint32_t elementBytesOf(Function function, const TemporaryArea& area, Of types) {
  const bool isHalf = types == Of::Halves, isWidened = types == Of::Widened;
  switch (function) {
    case Function::Acos:
    case Function::Asin: return isHalf ? 12 : 16;
    case Function::Acosh: return isHalf ? 8 : 4;
    case Function::Asinh: return 12;
    case Function::Erfc: return isHalf ? 24 : 20;
    case Function::FasterGelu: return isHalf ? 2 : isWidened ? 8 : 4;
    case Function::FasterGeluV2: return isHalf ? 6 : isWidened ? 16 : 12;
    case Function::Gelu: return isHalf ? 4 : isWidened ? 12 : 8;
    case Function::Round: return isHalf ? 4 : 0;
    default: return area.tensors * area.elementBytes;
  }
}

template <typename S>
Plan planOf(const FunctionCall& call, const Rule& rule) {
  const TemporaryArea area = temporaryArea(call.function, sizeof(S), call.reusesSource, std::is_integral_v<S>);
  const bool isGelu = call.function == Function::Gelu || call.function == Function::FasterGelu ||
                      call.function == Function::FasterGeluV2;
  const Of types = sizeof(S) != 2 ? Of::Words : call.isWidened && isGelu ? Of::Widened : Of::Halves;
  Plan plan{area,
            sizeof(S) == 2 ? rule.half : rule.single,
            sizeof(S) == 2 ? rule.halfInPlace : rule.singleInPlace,
            sizeof(S) == 2 ? rule.halfTail : rule.singleTail,
            types,
            elementBytesOf(call.function, area, types)};
  if (types == Of::Widened) {
    plan.work.laneBytes = sizeof(float);
    plan.work.simple += 2;
    plan.tail = isa::simpleCost.tail;
  }
  if (call.isQuick && isGelu) {
    plan.isQuick = true;
    plan.work.divisions -= 1;
    plan.work.simple += 2;
    plan.tail = isa::simpleCost.tail;
  }
  if (call.function == Function::Exp) {
    if (!(call.scalar >= 0 && call.scalar <= UINT8_MAX))
      trap({Check::ParameterRange, rule.name, text("taylorExpandLevel is %g", call.scalar), "it is a uint8_t"});
    plan.terms = static_cast<uint32_t>(call.scalar);
    if (plan.terms == 0) {
      plan.work = {0, 0, 1, 0, sizeof(S)};
      plan.area = {0, sizeof(S)};
      plan.elementBytes = 0;
      plan.tail = isa::exponentialCost.tail;
    } else {
      plan.work.simple = static_cast<uint16_t>(plan.work.simple + 3 * (plan.terms - 1));
    }
  }
  return plan;
}

bool overlap(const Extent& a, const Extent& b) { return a.begin() < b.end() && b.begin() < a.end(); }

void checkOverlap(const char* name, InPlace inPlace, const Extent& dst, const Extent& src, Losses& losses) {
  if (!overlap(dst, src)) return;
  bool coincide = dst.operand.address == src.operand.address && dst.bytes == src.bytes;
  if (coincide && inPlace == Documented) return;
  if (coincide && inPlace == Harmless) {
    report({Check::OverlapForbidden, name,
            text("dst is %s, which the documentation forbids; the library of Atlas A2 allows it", src.role),
            "use another tensor for dst"});
    return;
  }
  reportAsserted(name, text("dst overlaps %s, which the library still reads after it wrote dst", src.role),
                 "use another tensor for dst");
  losses.after.add(dst, src);
}

// Most functions have their temporary tensors as far apart as there is room; some no further than a piece is long, in whole units of
// so many elements.
uint32_t unitOfPiece(Function function, Of types) {
  const bool isWords = types == Of::Words;
  switch (function) {
    case Function::Asinh:
    case Function::Tan: return 32;
    case Function::Acosh:
    case Function::Atanh: return isWords ? 0 : 32;
    case Function::GeGLU:
    case Function::SwiGLU: return isWords ? 0 : 16;
    case Function::Fmod: return isWords ? 0 : 1;
    default: return 0;
  }
}

// What the function works in of what it is given. Its tensors are whole blocks.
uint32_t usedOf(const Plan& plan, const FunctionCall& call) {
  const uint32_t elements = ceilDivide(call.count, 32) * 32,
                 most = std::max(plan.area.maximum(elements), elements * plan.elementBytes);
  return std::min(call.temporary.bytes, most);
}

// How far that reaches: to the end of the last tensor, also where there is more room between them than they take.
uint32_t reachOf(const Plan& plan, const FunctionCall& call) {
  const uint32_t used = usedOf(plan, call), room = plan.roomIn(call.temporary.bytes);
  if (!call.temporary.ofCaller || plan.elementBytes <= sizeof(float) || room <= call.count ||
      unitOfPiece(call.function, plan.types) != 0)
    return used;
  const uint32_t last = plan.elementBytes - static_cast<uint32_t>(sizeof(float));
  return std::max(used, plan.area.extra + last * room + call.count * static_cast<uint32_t>(sizeof(float)));
}

// To the compiler it takes all that it may use.
WorkingMemory addWorkingMemory(Touches& touches, const FunctionCall& call, const Rule& rule, const Plan& plan,
                               const Extent* operands, size_t count, Losses& losses) {
  const Temporary& temporary = call.temporary;
  const uint32_t needed =
      temporary.ofCaller ? plan.area.minimum() : std::max(plan.area.least(), 32 * plan.elementBytes + plan.area.extra);
  const uint32_t used = reachOf(plan, call);
  const Extent whole{temporary.operand, used, writes, "sharedTmpBuffer"};
  for (size_t i = 0; i < count && needed != 0; ++i) {
    if (!overlap(whole, operands[i])) continue;
    reportAsserted(rule.name, text("sharedTmpBuffer overlaps %s", operands[i].role),
                   "give the function memory of its own");
    (operands[i].write ? losses.after : losses.before).add(whole, operands[i]);
  }
  WorkingMemory working;
  if (!temporary.ofCaller || temporary.bytes >= needed) {
    working = workingMemory(rule.name, temporary, needed, used, rule.sizeHelper);
  } else {
    reportShortage(rule.name, temporary.bytes, needed, rule.sizeHelper);
    const bool works = plan.roomIn(temporary.bytes) != 0;
    // Without room for a block the number of pieces is a division by zero: all elements at once, in temporary tensors
    // that lie one over the other.
    working = worksIn(temporary, works ? used : std::max(needed, call.count * plan.area.elementBytes));
    if (!works) losses.after.add(operands[0], operands[0]);
  }
  if (rule.usesReservedArea) working.reserved = reservedMemory(rule.name).reserved;
  working.touch(touches);
  if (needed != 0) touches.add(onlyForCompiler(whole));
  return working;
}

// The library works through the source in pieces that its temporary memory has room for.
uint32_t atATime(const Plan& plan, const FunctionCall& call) {
  if (plan.elementBytes == 0) return call.count;
  return std::min(call.count, std::max<uint32_t>(plan.roomIn(usedOf(plan, call)), 32));
}

// A part of the source, and how far apart it has its temporary tensors.
struct Piece {
  uint32_t first, elements, apart;
};

uintptr_t addressOf(Place place, const Plan& plan, const FunctionCall& call, const Piece& piece) {
  const auto at = [&](Operand operand, uint32_t begin) { return reinterpret_cast<uintptr_t>(operand.address) + begin; };
  const uint32_t begin = piece.first * (plan.types == Of::Words ? 4 : 2);
  if (place == toDst) return at(call.dst, begin);
  if (place == ofSrc0) return at(call.src0, begin);
  if (place == ofSrc1) return at(call.src1, begin);
  // the source takes the place of one of them, where it may: those behind it move up
  if (call.reusesSource && plan.types == Of::Words && call.function != Function::Lgamma) {
    const Place replaced = call.function == Function::Digamma ? 16 : call.function == Function::Exp ? 0 : 8;
    if (place == replaced) return at(call.src0, begin);
    if (place > replaced) place = static_cast<Place>(place - 4);
  }
  return at(call.temporary.operand, plan.area.extra + static_cast<uint32_t>(place) * piece.apart);
}

// What instructions take longer whose sources lie in the same banks.
template <size_t N>
uint64_t cyclesOfMeetings(const Meeting (&all)[N], const Plan& plan, const FunctionCall& call, const Piece& piece,
                          uint32_t repeats) {
  constexpr uintptr_t groupBits = 0x1e0;
  uint64_t cycles = 0;
  for (const Meeting& meeting : all) {
    if (meeting.function != call.function || (meeting.types != Of::Both && meeting.types != plan.types)) continue;
    const uintptr_t one = addressOf(meeting.one, plan, call, piece),
                    other = addressOf(meeting.other, plan, call, piece);
    if (one == other || ((one ^ other) & groupBits) != 0) continue;
    const Cost& cost = plan.isQuick ? isa::simpleCost : meeting.cost;
    const float each = plan.work.laneBytes == 2 ? cost.c16 : cost.c32;
    const auto alone = static_cast<uint64_t>(static_cast<float>(repeats) * each);
    cycles += meeting.times * (std::max<uint64_t>(3, 2 * alone) - std::max<uint64_t>(3, alone));
  }
  return cycles;
}

// Their exponents may be the elements of the first source, of the second one, or a number.
PowerCost costOfIntegers(const Plan& plan, const FunctionCall& call) {
  const bool isOneForAll = call.function == Function::PowerOfTensor;
  const auto one = static_cast<int32_t>(call.scalar);
  const Operand& tensor = call.function == Function::PowerTensors ? call.src1 : call.src0;
  return costOfIntegerPower(isOneForAll ? &one : reinterpret_cast<const int32_t*>(tensor.address), isOneForAll,
                            call.count, atATime(plan, call));
}

// Instructions wait for each other.
uint32_t cyclesOf(const Plan& plan, const FunctionCall& call) {
  const uint32_t most = atATime(plan, call), room = std::max(plan.roomIn(call.temporary.bytes), 32u),
                 unit = unitOfPiece(call.function, plan.types);
  uint64_t cycles = 0;
  for (uint32_t first = 0; first < call.count; first += most) {
    const uint32_t elements = std::min(most, call.count - first),
                   repeats = ceilDivide(elements * plan.work.laneBytes, repeatBytes);
    const Piece piece{first, elements, unit == 0 ? room : ceilDivide(elements, unit) * unit};
    cycles += plan.work.cyclesOf(repeats) + plan.work.tails();
    cycles += cyclesOfMeetings(meetings, plan, call, piece, repeats);
    if (plan.terms > 1) cycles += (plan.terms - 1) * cyclesOfMeetings(meetingsOfTerm, plan, call, piece, repeats);
  }
  return static_cast<uint32_t>(std::min<uint64_t>(cycles - plan.tail, UINT32_MAX));
}

// ---- elements ------------------------------------------------------------------------------------------------------

constexpr size_t chunk = 256;

template <typename T>
void load(double (&out)[chunk], const uint8_t* from, size_t n) {
  auto* in = reinterpret_cast<const T*>(from);
  if constexpr (std::is_same_v<T, Wide<T>>) {
    std::copy_n(in, n, out);
  } else {
    float wide[chunk];
    widen(wide, in, n);
    std::copy_n(wide, n, out);
  }
}

template <typename T>
void store(uint8_t* to, const double (&in)[chunk], size_t n) {
  auto* out = reinterpret_cast<T*>(to);
  if constexpr (std::is_integral_v<T>) {
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<T>(static_cast<int64_t>(in[i]));
  } else {
    // One NaN for all, whatever the processor makes of 0 / 0.
    float wide[chunk];
    for (size_t i = 0; i < n; ++i)
      wide[i] = in[i] != in[i] ? __builtin_nanf("") : sizeof(T) == 2 ? roundToOdd(in[i]) : static_cast<float>(in[i]);
    if constexpr (std::is_same_v<T, float>) std::copy_n(wide, n, out);
    else narrow(out, wide, n);
    if (std::is_same_v<T, half> && saturatesResults()) clampHalves(to, n);
    if (std::is_same_v<T, bfloat16_t> && saturatesResults()) clampBfloats(to, n);
  }
}

template <typename D>
double valueOf(const FunctionCall& call, Element element, double a, double b) {
  if constexpr (!std::is_same_v<D, int32_t>) return element(a, b, call.scalar);
  else if (call.function == Function::PowerOfTensor) return integerPower(a, call.scalar);
  else if (call.function == Function::PowerOfScalar) return integerPower(call.scalar, a);
  else return integerPower(a, b);
}

// Functions that are computed several elements at once, to the bits of the element rule.
struct Batch {
  Function function;
  void (*each)(double*, size_t);
  double range = __builtin_inf();  // results are invalid beyond
};

constexpr Batch batches[] = {
    {Function::Acos, eachArccosine},           {Function::Asin, eachArcsine},
    {Function::Atan, eachArctangent},          {Function::Cos, eachCosine, largestHalf},
    {Function::Cosh, eachHyperbolicCosine},    {Function::Log, eachLogarithm},
    {Function::Sin, eachSine, largestHalf},    {Function::Sinh, eachHyperbolicSine},
    {Function::Tan, eachTangent, largestHalf}, {Function::Tanh, eachHyperbolicTangent},
};

bool computeBatch(Function function, double* a, size_t n) {
  for (const Batch& batch : batches) {
    if (batch.function != function) continue;
    for (size_t i = 0; i < n; ++i) a[i] = std::fabs(a[i]) <= batch.range ? a[i] : nan;
    batch.each(a, n);
    return true;
  }
  return false;
}

template <typename D>
void compute(const FunctionCall& call, Element element, double* a, const double* b, size_t n) {
  if (computeBatch(call.function, a, n)) return;
  if (call.function == Function::Exp && call.scalar != 0)
    return eachExponentialByTaylor(a, n, static_cast<int>(call.scalar));
  for (size_t i = 0; i < n; ++i) a[i] = valueOf<D>(call, element, a[i], b[i]);
}

}  // namespace

namespace vec {

template <typename D, typename S>
void function(const FunctionCall& call) {
  const Rule& rule = rules[static_cast<size_t>(call.function)];
  Plan plan = planOf<S>(call, rule);
  // half is added to float in no memory but that of what it becomes
  if (call.function == Function::Axpy && sizeof(D) != sizeof(S)) plan.work.simple = 3, plan.elementBytes = 4;
  const uint32_t widths[] = {sizeof(D), sizeof(S), sizeof(S)};
  resolve(Walk::ofCount(call.count), sizeof(D), widths, 3);
  if (call.count == 0) return;

  const bool hasTwo = call.src1.address != nullptr, accumulates = call.function == Function::Axpy;
  const uint32_t dstBytes = Reach::dense(call.count, sizeof(D)), srcBytes = Reach::dense(call.count, sizeof(S));
  const Extent operands[] = {{call.dst, dstBytes, writes, "dst"},
                             {call.src0, srcBytes, reads, hasTwo ? "src0" : "src"},
                             {call.src1, srcBytes, reads, "src1"}};
  const Extent &dst = operands[0], &src = operands[1];
  const size_t count = hasTwo ? 3 : 2;
  const bool leavesGarbage = call.reusesSource && std::is_same_v<S, float> && !overlap(dst, src);
  WorkingMemory working;
  Losses losses;
  Instruction instruction{rule.name, Pipe::V, cyclesOf(plan, call), plan.tail};
  issue(
      instruction,
      [&](Touches& touches) {
        for (size_t i = 0; i < count; ++i) touches.add(operands[i]);
        if (accumulates) touches.add(unseenByCompiler({call.dst, dstBytes, reads, "dst"}));
        for (size_t i = 1; i < count; ++i) checkOverlap(rule.name, plan.inPlace, dst, operands[i], losses);
        if (leavesGarbage) touches.add(Extent{call.src0, srcBytes, writes, src.role});
        working = addWorkingMemory(touches, call, rule, plan, operands, count, losses);
        if constexpr (std::is_same_v<S, int32_t>) {
          const PowerCost cost = costOfIntegers(plan, call);
          instruction.occupancy = cost.occupancy, instruction.tail = cost.tail;
        }
      },
      [&] {
        working.leaveGarbage();
        losses.before.leaveGarbage();
        // whether an exponent is used up is a sum
        if (std::is_same_v<S, int32_t>) markLost(Register::Sum);
        const uint8_t* second = accumulates ? call.dst.address : call.src1.address;
        for (size_t i = 0; i < call.count; i += chunk) {
          size_t n = std::min<size_t>(chunk, call.count - i);
          double a[chunk], b[chunk] = {};
          load<S>(a, call.src0.address + i * sizeof(S), n);
          if (accumulates) load<D>(b, second + i * sizeof(D), n);
          else if (hasTwo) load<S>(b, second + i * sizeof(S), n);
          compute<D>(call, rule.element, a, b, n);
          store<D>(call.dst.address + i * sizeof(D), a, n);
        }
        losses.after.leaveGarbage();
        if (leavesGarbage) std::memset(call.src0.address, garbage, srcBytes);
      });
}

const Offers<&function<half, half>, &function<float, float>, &function<bfloat16_t, bfloat16_t>, &function<float, half>,
             &function<int32_t, int32_t>, &function<int16_t, int16_t>, &function<uint16_t, uint16_t>>
    offered;

}  // namespace vec
}  // namespace npu_emu
