// Element-wise vector instructions: the machinery that turns an element rule of isa.h into an instruction.
#include <tuple>

#include "numerics.h"
#include "walk.h"

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

namespace {

constexpr size_t chunk = 256;  // elements converted at a time: two repeats of half, always in L1

template <typename T>
constexpr bool isNarrow = !std::is_same_v<T, Wide<T>>;

// Applies `rule` to runs of up to three sources; half and bfloat16 are computed in float and rounded once.
template <typename T, typename Rule>
void apply1(T* out, const T* a, size_t n, Rule rule) {
  if constexpr (isNarrow<T>) {
    float wideA[chunk];
    for (size_t i = 0; i < n; i += chunk) {
      size_t m = std::min(chunk, n - i);
      widen(wideA, a + i, m);
      for (size_t j = 0; j < m; ++j) wideA[j] = rule(wideA[j]);
      narrow(out + i, wideA, m);
    }
  } else {
    for (size_t i = 0; i < n; ++i) out[i] = rule(a[i]);
  }
}

template <typename T, typename Rule>
void apply2(T* out, const T* a, const T* b, size_t n, Rule rule) {
  if constexpr (isNarrow<T>) {
    float wideA[chunk], wideB[chunk];
    for (size_t i = 0; i < n; i += chunk) {
      size_t m = std::min(chunk, n - i);
      widen(wideA, a + i, m);
      widen(wideB, b + i, m);
      for (size_t j = 0; j < m; ++j) wideA[j] = rule(wideA[j], wideB[j]);
      narrow(out + i, wideA, m);
    }
  } else {
    for (size_t i = 0; i < n; ++i) out[i] = rule(a[i], b[i]);
  }
}

template <typename T, typename Rule>
void apply3(T* out, const T* a, const T* b, size_t n, Rule rule) {
  if constexpr (isNarrow<T>) {
    float wideA[chunk], wideB[chunk], wideC[chunk];
    for (size_t i = 0; i < n; i += chunk) {
      size_t m = std::min(chunk, n - i);
      widen(wideA, a + i, m);
      widen(wideB, b + i, m);
      widen(wideC, out + i, m);
      for (size_t j = 0; j < m; ++j) wideA[j] = rule(wideA[j], wideB[j], wideC[j]);
      narrow(out + i, wideA, m);
    }
  } else {
    for (size_t i = 0; i < n; ++i) out[i] = rule(a[i], b[i], out[i]);
  }
}

// Two sources that start in the same group of banks are read one after the other.
float bankFactor(const Operand& a, const Operand& b, const Lanes& lanes) {
  auto group = [](const Operand& operand) { return reinterpret_cast<uintptr_t>(operand.address) / blockBytes % 16; };
  return lanes.contiguous && a.address != b.address && group(a) == group(b) ? 2.0f : 1.0f;
}

float perRepeat(const Cost& cost, uint32_t elementBytes) { return elementBytes <= 2 ? cost.c16 : cost.c32; }

// Checks the operands, records the instruction and calls `run(offsets, n)` for every run of elements.
template <size_t N, typename Run>
void execute(const char* name, Cost cost, uint32_t elementBytes, const std::array<Operand, N>& operands, const Walk& walk,
             Run run) {
  static constexpr const char* roles[] = {"dst", "src0", "src1"};
  std::array<uint32_t, N> widths;
  widths.fill(elementBytes);
  Lanes lanes = resolve(walk, elementBytes, widths.data(), N);
  std::array<Extent, N> extents;
  for (size_t i = 0; i < N; ++i) {
    extents[i] = {operands[i], reach(walk, lanes, i, elementBytes), i == 0, blockBytes, N == 2 && i == 1 ? "src" : roles[i]};
    checkLocal(name, extents[i], Memory::UB);
  }
  float cycles = perRepeat(cost, elementBytes);
  if constexpr (N == 3) cycles *= bankFactor(operands[1], operands[2], lanes);
  recordVector(vectorCycles(lanes, elementBytes, cycles), cost.tail, extents.data(), N);
  forEachRun(walk, lanes, widths, run);
}

template <typename T>
T* at(const Operand& operand, size_t offset) {
  return reinterpret_cast<T*>(operand.address + offset);
}

}  // namespace

namespace vec {

template <typename I, typename T>
void binary(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  execute<3>(I::name, I::cost, sizeof(T), {dst, src0, src1}, walk, [&](const std::array<size_t, 3>& offset, size_t n) {
    apply2(at<T>(dst, offset[0]), at<T>(src0, offset[1]), at<T>(src1, offset[2]), n,
           [](Wide<T> a, Wide<T> b) { return I::template element<Wide<T>>(a, b); });
  });
}

template <typename I, typename T>
void ternary(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  execute<3>(I::name, I::cost, sizeof(T), {dst, src0, src1}, walk, [&](const std::array<size_t, 3>& offset, size_t n) {
    apply3(at<T>(dst, offset[0]), at<T>(src0, offset[1]), at<T>(src1, offset[2]), n,
           [](Wide<T> a, Wide<T> b, Wide<T> c) { return I::template element<Wide<T>>(a, b, c); });
  });
}

template <typename I, typename T>
void unary(Operand dst, Operand src, const Walk& walk) {
  execute<2>(I::name, I::cost, sizeof(T), {dst, src}, walk, [&](const std::array<size_t, 2>& offset, size_t n) {
    apply1(at<T>(dst, offset[0]), at<T>(src, offset[1]), n, [](Wide<T> a) { return I::template element<Wide<T>>(a); });
  });
}

template <typename I, typename T>
void scalar(Operand dst, Operand src, T value, const Walk& walk) {
  Wide<T> wide = static_cast<Wide<T>>(value);
  execute<2>(I::name, I::cost, sizeof(T), {dst, src}, walk, [&](const std::array<size_t, 2>& offset, size_t n) {
    apply1(at<T>(dst, offset[0]), at<T>(src, offset[1]), n, [wide](Wide<T> a) { return I::template element<Wide<T>>(a, wide); });
  });
}

template <typename I, typename T>
void scalarAccumulate(Operand dst, Operand src, T value, const Walk& walk) {
  Wide<T> wide = static_cast<Wide<T>>(value);
  execute<2>(I::name, I::cost, sizeof(T), {dst, src}, walk, [&](const std::array<size_t, 2>& offset, size_t n) {
    apply2(at<T>(dst, offset[0]), at<T>(src, offset[1]), at<T>(dst, offset[0]), n,
           [wide](Wide<T> a, Wide<T> d) { return I::template element<Wide<T>>(a, wide, d); });
  });
}

template <typename T>
void duplicate(Operand dst, T value, const Walk& walk) {
  execute<1>("Duplicate", {1, 1, 11}, sizeof(T), {dst}, walk, [&](const std::array<size_t, 1>& offset, size_t n) {
    std::fill_n(at<T>(dst, offset[0]), n, value);
  });
}

template <typename T>
void copy(Operand dst, Operand src, const Walk& walk) {
  execute<2>("Copy", {1, 1, 11}, sizeof(T), {dst, src}, walk, [&](const std::array<size_t, 2>& offset, size_t n) {
    std::memmove(dst.address + offset[0], src.address + offset[1], n * sizeof(T));
  });
}

template <typename T>
void createVecIndex(Operand dst, T first, uint32_t count) {
  execute<1>("CreateVecIndex", {1, 1, 11}, sizeof(T), {dst}, Walk::ofCount(count), [&](const std::array<size_t, 1>&, size_t n) {
    T* out = at<T>(dst, 0);
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<T>(isa::Add::element<Wide<T>>(static_cast<Wide<T>>(first), static_cast<Wide<T>>(i)));
  });
}

template <typename T>
void brcb(Operand dst, Operand src, uint8_t repeats, uint16_t blockStride, uint16_t repeatStride) {
  if (repeats == 0) return;
  uint32_t written = ((repeats - 1u) * repeatStride + 7u * blockStride + 1u) * blockBytes;
  Extent extents[] = {{dst, written, true, blockBytes, "dst"},
                      {src, repeats * 8u * static_cast<uint32_t>(sizeof(T)), false, blockBytes, "src0"}};
  for (const Extent& extent : extents) checkLocal("Brcb", extent, Memory::UB);
  recordVector(std::max<uint32_t>(3, repeats), 11, extents, 2);
  const T* in = at<T>(src, 0);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat)
    for (uint32_t block = 0; block < 8; ++block)
      std::fill_n(at<T>(dst, (size_t(repeat) * repeatStride + size_t(block) * blockStride) * blockBytes), blockBytes / sizeof(T), in[repeat * 8 + block]);
}

// ---- what the library contains: every instruction for each of its types --------------------------------------------

namespace {

template <typename I, typename... T>
constexpr auto binaries(Types<T...>) {
  return std::make_tuple(&binary<I, T>...);
}
template <typename I, typename... T>
constexpr auto ternaries(Types<T...>) {
  return std::make_tuple(&ternary<I, T>...);
}
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
template <typename... T>
constexpr auto moves(Types<T...>) {
  return std::make_tuple(&duplicate<T>..., &copy<T>..., &brcb<T>...);
}
template <typename... T>
constexpr auto indices(Types<T...>) {
  return std::make_tuple(&createVecIndex<T>...);
}

// Taking the addresses is what puts the instantiations into the library.
[[gnu::used]] const auto instantiated = std::make_tuple(
    binaries<isa::Add>(isa::Add::types{}), binaries<isa::Sub>(isa::Sub::types{}), binaries<isa::Mul>(isa::Mul::types{}),
    binaries<isa::Div>(isa::Div::types{}), binaries<isa::Max>(isa::Max::types{}), binaries<isa::Min>(isa::Min::types{}),
    binaries<isa::And>(isa::And::types{}), binaries<isa::Or>(isa::Or::types{}), binaries<isa::AddRelu>(isa::AddRelu::types{}),
    binaries<isa::SubRelu>(isa::SubRelu::types{}), ternaries<isa::MulAddDst>(isa::MulAddDst::types{}),
    ternaries<isa::FusedMulAdd>(isa::FusedMulAdd::types{}), ternaries<isa::FusedMulAddRelu>(isa::FusedMulAddRelu::types{}),
    unaries<isa::Abs>(isa::Abs::types{}), unaries<isa::Exp>(isa::Exp::types{}), unaries<isa::Ln>(isa::Ln::types{}),
    unaries<isa::Sqrt>(isa::Sqrt::types{}), unaries<isa::Rsqrt>(isa::Rsqrt::types{}),
    unaries<isa::Reciprocal>(isa::Reciprocal::types{}), unaries<isa::Relu>(isa::Relu::types{}),
    unaries<isa::Not>(isa::Not::types{}), scalars<isa::Adds>(isa::Adds::types{}), scalars<isa::Muls>(isa::Muls::types{}),
    scalars<isa::Maxs>(isa::Maxs::types{}), scalars<isa::Mins>(isa::Mins::types{}),
    scalars<isa::LeakyRelu>(isa::LeakyRelu::types{}), scalars<isa::ShiftLeft>(isa::ShiftLeft::types{}),
    scalars<isa::ShiftRight>(isa::ShiftRight::types{}), accumulations<isa::Axpy>(isa::Axpy::types{}), moves(isa::Fill{}),
    indices(isa::Arithmetic{}));

}  // namespace
}  // namespace vec
}  // namespace npu_emu
