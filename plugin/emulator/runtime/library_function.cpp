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

// Instructions for each repeat; those without a name take a cycle. `laneBytes` is the type they compute in.
struct Work {
  uint16_t simple;
  uint8_t divisions = 0, exponentials = 0, roots = 0;
  uint8_t laneBytes = 4;

  // Of a piece of so many repeats: each takes three cycles at least.
  uint64_t cyclesOf(uint32_t repeats) const {
    const auto cycles = [&](Cost cost) {
      const float each = laneBytes == 2 ? cost.c16 : cost.c32;
      return std::max<uint64_t>(3, static_cast<uint64_t>(static_cast<float>(repeats) * each));
    };
    return simple * cycles(isa::simpleCost) + divisions * cycles(isa::divisionCost) +
           exponentials * cycles(isa::exponentialCost) + roots * cycles(isa::squareRootCost);
  }
  // Cycles until the results of all of them are there, one after the other.
  uint32_t tails() const {
    return simple * isa::simpleCost.tail + divisions * isa::divisionCost.tail +
           exponentials * isa::exponentialCost.tail + roots * isa::squareRootCost.tail;
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
    {Function::Acos, "Acos", "GetAcosMaxMinTmpSize", of<arccosine>, {64, 1, 0, 1}, {61, 1, 0, 2}, Wrong, Wrong},
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
    {Function::Asin, "Asin", "GetAsinMaxMinTmpSize", of<arcsine>, {62, 1, 0, 1}, {59, 1, 0, 2}, Wrong, Wrong},
    {Function::Asinh,
     "Asinh",
     "GetAsinhMaxMinTmpSize",
     inRangeOfHalf<inverseHyperbolicSine>,
     {9, 1, 1, 1, 2},
     {8, 1, 1, 1},
     Harmless,
     Harmless},
    {Function::Atan, "Atan", "GetAtanMaxMinTmpSize", of<arctangent>, {75, 4}, {73, 4}, Harmless, Harmless},
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
     {185, 23, 2},
     {165, 23, 2},
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
    {Function::Fmod, "Fmod", "GetFmodMaxMinTmpSize", remainder, {6, 1}, {3, 1}, Harmless, Wrong},
    {Function::Frac, "Frac", "GetFracMaxMinTmpSize", fraction, {4}, {2}, Harmless, Wrong},
    {Function::Lgamma,
     "Lgamma",
     "GetLgammaMaxMinTmpSize",
     of<logGamma>,
     {112, 4, 7},
     {230, 2, 6},
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
     {43, 0, 2},
     {40, 0, 2},
     Harmless,
     Wrong,
     true},
    {Function::PowerOfTensor,
     "Power",
     "GetPowerMaxMinTmpSize",
     powerOfTensor,
     {43, 0, 2},
     {41, 0, 2},
     Harmless,
     Wrong,
     true},
    {Function::PowerOfScalar,
     "Power",
     "GetPowerMaxMinTmpSize",
     powerOfScalar,
     {43, 0, 2},
     {41, 0, 2},
     Harmless,
     Wrong,
     true},
    {Function::Round, "Round", "GetRoundMaxMinTmpSize", of<std::nearbyint>, {3}, {1}, Documented, Documented},
    {Function::Sign, "Sign", "GetSignMaxMinTmpSize", sign, {7, 0, 0, 0, 2}, {7}, Wrong, Wrong, true},
    {Function::Sin, "Sin", "GetSinMaxMinTmpSize", inRangeOfHalf<sine>, {31}, {29}, Harmless, Harmless},
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
    {Function::Xor, "Xor", "GetXorMaxMinTmpSize", exclusiveOr, {4, 0, 0, 0, 2}, {4}, Wrong, Wrong},
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
    {Function::ReGlu, "ReGlu", "GetReGluMaxMinTmpSize", reglu, {5}, {2}, Harmless, Wrong},
    {Function::Sigmoid,
     "Sigmoid",
     "GetSigmoidMaxMinTmpSize",
     of<sigmoid>,
     {3, 1, 1, 0, 2},
     {3, 1, 1},
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

// Instructions with two sources, which may lie in the same banks: then they take twice as long. Those of the functions that are called
// most, and those that are made of little else.
enum class Place : uint8_t { Dst, Src0, Src1, Memory0, Memory1, Memory2 };
enum class Of : uint8_t { Both, Words, Halves };
struct Meeting {
  Function function;
  Of types;
  Place one, other;
  Cost cost = isa::simpleCost;
};

constexpr Meeting meetings[] = {
    {Function::Silu, Of::Both, Place::Src0, Place::Dst, isa::divisionCost},
    {Function::Swish, Of::Both, Place::Src0, Place::Dst, isa::divisionCost},
    {Function::Sigmoid, Of::Both, Place::Memory0, Place::Dst, isa::divisionCost},
    {Function::FasterGelu, Of::Both, Place::Src0, Place::Memory0, isa::divisionCost},
    {Function::Gelu, Of::Both, Place::Src0, Place::Memory0},
    {Function::Gelu, Of::Both, Place::Src0, Place::Memory0},
    {Function::Gelu, Of::Both, Place::Src0, Place::Memory0, isa::divisionCost},
    {Function::Tanh, Of::Words, Place::Dst, Place::Memory0, isa::divisionCost},
    {Function::Tanh, Of::Halves, Place::Memory0, Place::Memory1, isa::divisionCost},
    {Function::ReGlu, Of::Words, Place::Src0, Place::Dst},
    {Function::GeGLU, Of::Words, Place::Src1, Place::Dst},
    {Function::GeGLU, Of::Words, Place::Src1, Place::Dst, isa::divisionCost},
    {Function::GeGLU, Of::Words, Place::Src0, Place::Dst},
    {Function::SwiGLU, Of::Words, Place::Src1, Place::Dst, isa::divisionCost},
    {Function::SwiGLU, Of::Words, Place::Src0, Place::Dst},
    {Function::Frac, Of::Words, Place::Src0, Place::Dst},
    {Function::Frac, Of::Halves, Place::Memory0, Place::Memory1},
    {Function::Fmod, Of::Words, Place::Src0, Place::Src1, isa::divisionCost},
    {Function::Fmod, Of::Words, Place::Dst, Place::Src1},
    {Function::Fmod, Of::Words, Place::Src0, Place::Dst},
    {Function::Fmod, Of::Halves, Place::Memory1, Place::Memory2, isa::divisionCost},
    {Function::Fmod, Of::Halves, Place::Memory0, Place::Memory2},
    {Function::Fmod, Of::Halves, Place::Memory0, Place::Memory1},
    {Function::Xor, Of::Both, Place::Src0, Place::Src1},
    {Function::Xor, Of::Both, Place::Src0, Place::Src1},
    {Function::Xor, Of::Both, Place::Memory0, Place::Dst},
};

// What a call needs and costs beyond its rule.
struct Plan {
  TemporaryArea area;
  Work work;
  InPlace inPlace;
  uint32_t tail;  // until the results of the last piece are there
};

template <typename S>
Plan planOf(const FunctionCall& call, const Rule& rule) {
  Plan plan{temporaryArea(call.function, sizeof(S), call.reusesSource, std::is_integral_v<S>),
            sizeof(S) == 2 ? rule.half : rule.single, sizeof(S) == 2 ? rule.halfInPlace : rule.singleInPlace,
            sizeof(S) == 2 ? rule.halfTail : rule.singleTail};
  if (call.function == Function::Exp) {
    if (!(call.scalar >= 0 && call.scalar <= UINT8_MAX))
      trap({Check::ParameterRange, rule.name, text("taylorExpandLevel is %g", call.scalar), "it is a uint8_t"});
    auto terms = static_cast<uint16_t>(call.scalar);
    if (terms == 0) plan.work = {0, 0, 1, 0, sizeof(S)};
    else plan.work.simple = static_cast<uint16_t>(plan.work.simple + 3 * (terms - 1));
    if (terms == 0) plan.area = {0, sizeof(S)};
    if (terms == 0) plan.tail = isa::exponentialCost.tail;
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

// Elements of each temporary tensor that there is room for: how many the library computes at a time.
uint32_t roomFor(const TemporaryArea& area, uint32_t bytes) {
  if (area.tensors * area.elementBytes == 0) return 32;
  return bytes <= area.extra ? 0 : (bytes - area.extra) / (area.tensors * area.elementBytes) / 32 * 32;
}

// What the function works in of what it is given. Its tensors are whole blocks.
uint32_t usedOf(const TemporaryArea& area, const FunctionCall& call) {
  return std::min(call.temporary.bytes, area.maximum(ceilDivide(call.count, 32) * 32));
}

// To the compiler it takes all that it may use.
WorkingMemory addWorkingMemory(Touches& touches, const FunctionCall& call, const Rule& rule, const Plan& plan,
                               const Extent* operands, size_t count, Losses& losses) {
  const Temporary& temporary = call.temporary;
  const uint32_t needed = temporary.ofCaller ? plan.area.minimum() : plan.area.least();
  const uint32_t used = usedOf(plan.area, call);
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
    const bool works = roomFor(plan.area, temporary.bytes) != 0;
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

uintptr_t addressOf(Place place, const Plan& plan, const FunctionCall& call) {
  const auto at = [](Operand operand) { return reinterpret_cast<uintptr_t>(operand.address); };
  if (place == Place::Dst) return at(call.dst);
  if (place == Place::Src0) return at(call.src0);
  if (place == Place::Src1) return at(call.src1);
  const auto index = static_cast<size_t>(place) - static_cast<size_t>(Place::Memory0);
  return at(call.temporary.operand) + index * roomFor(plan.area, call.temporary.bytes) * plan.area.elementBytes;
}

// What instructions take longer whose sources lie in the same banks.
uint64_t cyclesOfMeetings(const Plan& plan, const FunctionCall& call, Of types, uint64_t repeats) {
  constexpr uintptr_t groupBits = 0x1e0;
  uint64_t cycles = 0;
  for (const Meeting& meeting : meetings) {
    if (meeting.function != call.function || (meeting.types != Of::Both && meeting.types != types)) continue;
    const uintptr_t one = addressOf(meeting.one, plan, call), other = addressOf(meeting.other, plan, call);
    if (one == other || ((one ^ other) & groupBits) != 0) continue;
    const float each = plan.work.laneBytes == 2 ? meeting.cost.c16 : meeting.cost.c32;
    const auto alone = static_cast<uint64_t>(static_cast<float>(repeats) * each);
    cycles += std::max<uint64_t>(3, 2 * alone) - std::max<uint64_t>(3, alone);
  }
  return cycles;
}

// The library works through the source in pieces that its temporary memory has room for.
uint32_t atATime(const Plan& plan, const FunctionCall& call) {
  if (plan.area.tensors == 0 || plan.area.elementBytes == 0) return call.count;
  return std::min(call.count, std::max<uint32_t>(roomFor(plan.area, usedOf(plan.area, call)), 32));
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
uint32_t cyclesOf(const Plan& plan, const FunctionCall& call, Of types) {
  const uint32_t room = atATime(plan, call);
  const uint32_t pieces = ceilDivide(call.count, room), rest = call.count - (pieces - 1) * room;
  const auto ofPiece = [&](uint32_t elements) {
    return plan.work.cyclesOf(ceilDivide(elements * plan.work.laneBytes, repeatBytes));
  };
  const uint64_t waits = uint64_t(pieces) * plan.work.tails() - plan.tail,
                 alone = waits + (pieces - 1) * ofPiece(room) + ofPiece(rest),
                 repeats = ceilDivide(call.count * plan.work.laneBytes, repeatBytes),
                 cycles = alone + cyclesOfMeetings(plan, call, types, repeats);
  return static_cast<uint32_t>(std::min<uint64_t>(cycles, UINT32_MAX));
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
  Instruction instruction{rule.name, Pipe::V, cyclesOf(plan, call, sizeof(S) == 2 ? Of::Halves : Of::Words), plan.tail};
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
