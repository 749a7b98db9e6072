// Element-wise vector instructions: the machinery that turns an element rule of isa.h into an instruction.
#include <tuple>

#include "device.h"
#include "numerics.h"
#include "saturation.h"
#include "staging.h"

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

// What an instruction does to one run of n elements. `scalar` points to its scalar operand in the computing type.
using Rule = void (*)(uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t n, const void* scalar);

// Operands coincide or do not touch, so that no element depends on another.
#if defined(__clang__)
#define NPU_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#pragma clang diagnostic ignored "-Wpass-failed"  // table look-ups stay scalar
// clang vectorises conversions to and from half inside a loop; g++ 12 needs them as calls of their own.
constexpr bool convertsInLoops = true;
#else
#define NPU_INDEPENDENT _Pragma("GCC ivdep")
constexpr bool convertsInLoops = false;
#endif

// Runs `element` over a run; half and bfloat16 are computed in float and rounded once.
template <typename T, int sources, bool readsDst, typename Element>
void applyRun(uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t n, Element element) {
  T* out = reinterpret_cast<T*>(dst);
  const T* a = reinterpret_cast<const T*>(src0);
  const T* b = reinterpret_cast<const T*>(src1);
  if constexpr (std::is_same_v<T, half> && convertsInLoops) {
    auto wide = [](half value) { return static_cast<float>(value); };
    NPU_INDEPENDENT
    for (size_t i = 0; i < n; ++i)
      out[i] = static_cast<half>(element(wide(a[i]), sources == 2 ? wide(b[i]) : 0, readsDst ? wide(out[i]) : 0));
  } else if constexpr (isNarrow<T>) {
    float wideA[chunk], wideB[chunk], wideDst[chunk];
    for (size_t i = 0; i < n; i += chunk) {
      size_t m = std::min(chunk, n - i);
      widen(wideA, a + i, m);
      if constexpr (sources == 2) widen(wideB, b + i, m);
      if constexpr (readsDst) widen(wideDst, out + i, m);
      for (size_t j = 0; j < m; ++j) wideA[j] = element(wideA[j], sources == 2 ? wideB[j] : 0, readsDst ? wideDst[j] : 0);
      narrow(out + i, wideA, m);
    }
  } else {
    NPU_INDEPENDENT
    for (size_t i = 0; i < n; ++i) out[i] = element(a[i], sources == 2 ? b[i] : T(), readsDst ? out[i] : T());
  }
}

struct Instruction {
  const char* name;
  Cost cost;
  uint32_t elementBytes;
  uint32_t operands;  // destination included
  bool half = false;      // results that saturation mode clamps
  bool readsDst = false;
  bool ignoresSources = false;  // the result does not depend on what they hold
};

// Two sources that start in the same group of banks are read one after the other.
float bankFactor(const Operand& a, const Operand& b, const Lanes& lanes) {
  auto group = [](const Operand& operand) { return reinterpret_cast<uintptr_t>(operand.address) / blockBytes % 16; };
  return lanes.contiguous && a.address != b.address && group(a) == group(b) ? 2.0f : 1.0f;
}

// Checks the operands, records the instruction and applies its rule to every run of elements.
void execute(const Instruction& instruction, const std::array<Operand, 3>& operands, const Walk& walk, Rule rule, const void* scalar) {
  static constexpr const char* roles[] = {"dst", "src0", "src1"};
  uint32_t bytes = instruction.elementBytes, n = instruction.operands;
  const uint32_t widths[] = {bytes, bytes, bytes};
  Lanes lanes = resolve(walk, bytes, widths, n);
  Extent extents[3];
  for (uint32_t i = 0; i < n; ++i) {
    extents[i] = {operands[i], reach(walk, lanes, i, bytes), i == 0, blockBytes, n == 2 && i == 1 ? "src" : roles[i]};
    if (i == 0 || !instruction.ignoresSources) checkLocal(instruction.name, extents[i], Memory::UB);
  }
  float cycles = bytes <= 2 ? instruction.cost.c16 : instruction.cost.c32;
  if (n == 3) cycles *= bankFactor(operands[1], operands[2], lanes);
  recordVector(vectorCycles(lanes, bytes, cycles), instruction.cost.tail, extents, n);
  bool clamps = instruction.half && saturatesResults();
  auto apply = [&](uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t count) {
    rule(dst, src0, src1, count, scalar);
    if (clamps) clampHalves(dst, count);
  };
  Strided strided[3];
  for (uint32_t i = 0; i < n; ++i) strided[i] = {operands[i].address, walk.blockStride[i], walk.repeatStride[i]};
  if (canStage(strided, n, lanes)) return forEachStaged(strided, n, instruction.readsDst, lanes, bytes, apply);
  forEachRun<3>(walk, lanes, {bytes, bytes, bytes}, [&](const std::array<size_t, 3>& offset, size_t count) {
    apply(operands[0].address + offset[0], operands[1].address + offset[1], operands[2].address + offset[2], count);
  });
}

template <typename I, typename T>
void binaryRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  applyRun<T, 2, false>(dst, a, b, n, [](Wide<T> x, Wide<T> y, Wide<T>) { return I::template element<Wide<T>>(x, y); });
}

// Multiplies and adds with one rounding. For narrow types float is too short to hold the sum before it.
template <typename I, typename T>
Wide<T> fused(Wide<T> x, Wide<T> y, Wide<T> d) {
  if constexpr (isNarrow<T>) return roundToOdd(I::template element<double>(x, y, d));
  else return I::template element<T>(x, y, d);
}

template <typename I, typename T>
void ternaryRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  applyRun<T, 2, true>(dst, a, b, n, fused<I, T>);
}

template <typename I, typename T>
void unaryRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void*) {
  applyRun<T, 1, false>(dst, a, nullptr, n, [](Wide<T> x, Wide<T>, Wide<T>) { return I::template element<Wide<T>>(x); });
}

template <typename I, typename T>
void scalarRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void* scalar) {
  Wide<T> value = *static_cast<const Wide<T>*>(scalar);
  applyRun<T, 1, false>(dst, a, nullptr, n, [value](Wide<T> x, Wide<T>, Wide<T>) { return I::template element<Wide<T>>(x, value); });
}

template <typename I, typename T>
void accumulateRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void* scalar) {
  Wide<T> value = *static_cast<const Wide<T>*>(scalar);
  applyRun<T, 1, true>(dst, a, nullptr, n, [value](Wide<T> x, Wide<T>, Wide<T> d) { return fused<I, T>(x, value, d); });
}

template <typename T>
void fillRule(uint8_t* dst, const uint8_t*, const uint8_t*, size_t n, const void* scalar) {
  std::fill_n(reinterpret_cast<T*>(dst), n, *static_cast<const T*>(scalar));
}

template <typename T>
void copyRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void*) {
  std::memmove(dst, a, n * sizeof(T));
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

template <typename T>
constexpr bool isHalf = std::is_same_v<T, half>;

constexpr Cost moveCost{1, 1, 11};

}  // namespace

namespace vec {

template <typename I, typename T>
void binary(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  Rule rule = binaryRule<I, T>;
  if constexpr (std::is_integral_v<T> && canSaturate<I>)
    if (saturatesResults()) rule = binaryRule<Saturated<I>, T>;
  Instruction instruction = {I::name, I::cost, sizeof(T), 3, isHalf<T>};
  // taking integers from themselves clears memory that nothing has written
  if constexpr (std::is_integral_v<T> && std::is_same_v<I, isa::Sub>) {
    const bool isSame = dst.address == src0.address && dst.address == src1.address;
    const auto alike = [](const auto& strides) { return strides[0] == strides[1] && strides[0] == strides[2]; };
    instruction.ignoresSources = isSame && alike(walk.blockStride) && alike(walk.repeatStride);
  }
  execute(instruction, {dst, src0, src1}, walk, rule, nullptr);
}

template <typename I, typename T>
void ternary(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  execute({I::name, I::cost, sizeof(T), 3, isHalf<T>, true}, {dst, src0, src1}, walk, ternaryRule<I, T>, nullptr);
}

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

template <typename T>
void duplicate(Operand dst, T value, const Walk& walk) {
  execute({"Duplicate", moveCost, sizeof(T), 1}, {dst, {}, {}}, walk, fillRule<T>, &value);
}

// In counter mode the mask counts the elements of every repeat, unlike for all other instructions, and a repeat may have more
// than eight blocks.
template <typename T>
void copy(Operand dst, Operand src, const Walk& walk) {
  constexpr Instruction instruction = {"Copy", moveCost, sizeof(T), 2};
  if (!core->maskCounter) return execute(instruction, {dst, src, {}}, walk, copyRule<T>, nullptr);
  constexpr uint64_t perRepeat = repeatBytes / sizeof(T);
  const uint64_t lanes = walk.setsMask ? walk.count : core->mask[0];
  Walk normal = walk;
  normal.setsMask = true;
  core->maskCounter = false;
  for (uint64_t done = 0; done < lanes; done += perRepeat) {
    maskOfLanes(std::min(perRepeat, lanes - done), normal.mask);
    execute(instruction, {dst, src, {}}, normal, copyRule<T>, nullptr);
    dst.address += size_t(walk.blockStride[0]) * repeatBytes;
    src.address += size_t(walk.blockStride[1]) * repeatBytes;
  }
  core->maskCounter = true;
  core->mask[0] = lanes;
  core->mask[1] = 0;
}

template <typename T>
void createVecIndex(Operand dst, T first, uint32_t count) {
  auto rule = [](uint8_t* out, const uint8_t*, const uint8_t*, size_t n, const void* start) {
    Wide<T> value = static_cast<Wide<T>>(*static_cast<const T*>(start));
    for (size_t i = 0; i < n; ++i)
      reinterpret_cast<T*>(out)[i] = static_cast<T>(isa::Add::element<Wide<T>>(value, static_cast<Wide<T>>(i)));
  };
  execute({"CreateVecIndex", moveCost, sizeof(T), 1}, {dst, {}, {}}, Walk::ofCount(count), rule, &first);
}

template <typename T>
void brcb(Operand dst, Operand src, uint8_t repeats, uint16_t blockStride, uint16_t repeatStride) {
  if (repeats == 0) return;
  uint32_t written = ((repeats - 1u) * repeatStride + 7u * blockStride + 1u) * blockBytes;
  Extent extents[] = {{dst, written, true, blockBytes, "dst"},
                      {src, repeats * 8u * static_cast<uint32_t>(sizeof(T)), false, blockBytes, "src0"}};
  for (const Extent& extent : extents) checkLocal("Brcb", extent, Memory::UB);
  recordVector(std::max<uint32_t>(3, repeats), moveCost.tail, extents, 2);
  const T* in = reinterpret_cast<const T*>(src.address);
  for (uint32_t repeat = 0; repeat < repeats; ++repeat) {
    for (uint32_t block = 0; block < 8; ++block) {
      uint8_t* out = dst.address + (size_t(repeat) * repeatStride + size_t(block) * blockStride) * blockBytes;
      T copies[blockBytes / sizeof(T)];
      for (T& copy : copies) copy = in[repeat * 8 + block];
      std::memcpy(out, copies, blockBytes);
    }
  }
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
    scalars<isa::ShiftRight>(isa::ShiftRight::types{}), accumulations<isa::Axpy>(isa::Axpy::types{}), moves(isa::Fill{}));

}  // namespace
}  // namespace vec
}  // namespace npu_emu
