// Element-wise vector instructions of one source, with or without a scalar.
#include "elementwise.h"
#include "api_calls.h"

namespace npu_emu {

namespace isa {

template <>
float Exp::element(float a) {
  return exponential(a);
}
template <>
float Ln::element(float a) {
  return logarithm(a);
}
template <>
float Rsqrt::element(float a) {
  return tableReciprocalRoot(a);
}
template <>
float Reciprocal::element(float a) {
  return tableReciprocal(a);
}

}  // namespace isa

using namespace elementwise;

namespace {

template <typename I, typename T>
void unaryRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void*) {
  applyRun<T, 1, false, compares<I>>(dst, a, nullptr, n,
                                     [](Wide<T> x, Wide<T>, Wide<T>) { return I::template element<Wide<T>>(x); });
}

template <typename I, typename T>
void scalarRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void* scalar) {
  Wide<T> value = *static_cast<const Wide<T>*>(scalar);
  applyRun<T, 1, false, compares<I>>(
      dst, a, nullptr, n, [value](Wide<T> x, Wide<T>, Wide<T>) { return I::template element<Wide<T>>(x, value); });
}

template <typename I, typename T>
void accumulateRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void* scalar) {
  Wide<T> value = *static_cast<const Wide<T>*>(scalar);
  applyRun<T, 1, true>(dst, a, nullptr, n, [value](Wide<T> x, Wide<T>, Wide<T> d) { return fused<I, T>(x, value, d); });
}

struct ExactReciprocal {
  template <typename T>
  static T element(T a) {
    return 1 / a;
  }
};

// In double, so that the result is rounded once.
struct ExactRsqrt {
  template <typename T>
  static T element(T a) {
    return static_cast<T>(1 / std::sqrt(static_cast<double>(a)));
  }
};

}  // namespace

namespace vec {

template <typename I, typename T>
void unary(Operand dst, Operand src, const Walk& walk) {
  Rule rule = unaryRule<I, T>;
  if constexpr (std::is_same_v<I, isa::Reciprocal>)
    if (device.request->exactApproximations) rule = unaryRule<ExactReciprocal, T>;
  if constexpr (std::is_same_v<I, isa::Rsqrt>)
    if (device.request->exactApproximations) rule = unaryRule<ExactRsqrt, T>;
  execute({I::name, I::cost, sizeof(T), 2, isHalf<T>}, {dst, src, {}}, walk, rule, nullptr);
}

template <typename I, typename T>
void scalar(Operand dst, Operand src, T value, const Walk& walk) {
  if constexpr (Types<isa::ShiftLeft, isa::ShiftRight, isa::ShiftRightRounded>::has<I>) {
    constexpr int64_t bits = 8 * sizeof(T);
    if (value < 0 || int64_t{value} > bits)
      trap({Check::ParameterRange, I::name,
            text("scalarValue %lld is out of range 0..%lld", static_cast<long long>(value),
                 static_cast<long long>(bits)),
            "shift by no more bits than an element has"});
  }
  Wide<T> wide = static_cast<Wide<T>>(value);
  Rule rule = scalarRule<I, T>;
  if constexpr (std::is_integral_v<T> && canSaturate<I>)
    if (saturatesResults()) rule = scalarRule<Saturated<I>, T>;
  execute({I::name, I::cost, sizeof(T), 2, isHalf<T>}, {dst, src, {}}, walk, rule, &wide);
}

template <typename I, typename T>
void scalarAccumulate(Operand dst, Operand src, T value, const Walk& walk) {
  Wide<T> wide = static_cast<Wide<T>>(value);
  execute({I::name, I::cost, sizeof(T), 2, isHalf<T>, true}, {dst, src, {}}, walk, accumulateRule<I, T>, &wide);
}

// ---- what the library contains: every instruction for each of its types --------------------------------------------

namespace {

template <typename I, typename... T>
constexpr auto unaries(Types<T...>) {
  return std::make_tuple(&unary<I, T>...);
}
template <typename I, typename... T>
constexpr auto scalars(Types<T...>) {
  return std::make_tuple(&scalar<I, T>...);
}
template <typename I, typename... T>
constexpr auto accumulations(Types<T...>) {
  return std::make_tuple(&scalarAccumulate<I, T>...);
}

constexpr auto instantiated = asTuple(std::make_tuple(
    unaries<isa::Abs>(isa::Abs::types{}), unaries<isa::Exp>(isa::Exp::types{}), unaries<isa::Ln>(isa::Ln::types{}),
    unaries<isa::Sqrt>(isa::Sqrt::types{}), unaries<isa::Rsqrt>(isa::Rsqrt::types{}),
    unaries<isa::Reciprocal>(isa::Reciprocal::types{}), unaries<isa::Relu>(isa::Relu::types{}),
    unaries<isa::Not>(isa::Not::types{}), scalars<isa::Adds>(isa::Adds::types{}),
    scalars<isa::Muls>(isa::Muls::types{}), scalars<isa::Maxs>(isa::Maxs::types{}),
    scalars<isa::Mins>(isa::Mins::types{}), scalars<isa::LeakyRelu>(isa::LeakyRelu::types{}),
    scalars<isa::ShiftLeft>(isa::ShiftLeft::types{}), scalars<isa::ShiftRight>(isa::ShiftRight::types{}),
    scalars<isa::ShiftRightRounded>(isa::ShiftRightRounded::types{}), accumulations<isa::Axpy>(isa::Axpy::types{})));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
