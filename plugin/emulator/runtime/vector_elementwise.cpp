// Element-wise vector instructions of two sources, and how all of them are executed.
#include "elementwise.h"

namespace npu_emu {

using namespace elementwise;

namespace {

// Two sources that start in the same group of banks are read one after the other.
float bankFactor(const Operand& a, const Operand& b, const Lanes& lanes) {
  auto group = [](const Operand& operand) { return reinterpret_cast<uintptr_t>(operand.address) / blockBytes % 16; };
  return lanes.contiguous && a.address != b.address && group(a) == group(b) ? 2.0f : 1.0f;
}

}  // namespace

namespace elementwise {

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
  if (canStage(strided, n, lanes)) return forEachStaged(strided, n, instruction.readsDst, instruction.effect, lanes, bytes, apply);
  forEachRun<3>(walk, lanes, {bytes, bytes, bytes}, [&](const std::array<size_t, 3>& offset, size_t count) {
    apply(operands[0].address + offset[0], operands[1].address + offset[1], operands[2].address + offset[2], count);
  });
}

}  // namespace elementwise

namespace {

template <typename I, typename T>
void binaryRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  applyRun<T, 2, false>(dst, a, b, n, [](Wide<T> x, Wide<T> y, Wide<T>) { return I::template element<Wide<T>>(x, y); });
}

template <typename I, typename T>
void ternaryRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  applyRun<T, 2, true>(dst, a, b, n, fused<I, T>);
}

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

// Taking the addresses is what puts the instantiations into the library.
[[gnu::used]] const auto instantiated = std::make_tuple(
    binaries<isa::Add>(isa::Add::types{}), binaries<isa::Sub>(isa::Sub::types{}), binaries<isa::Mul>(isa::Mul::types{}),
    binaries<isa::Div>(isa::Div::types{}), binaries<isa::Max>(isa::Max::types{}), binaries<isa::Min>(isa::Min::types{}),
    binaries<isa::And>(isa::And::types{}), binaries<isa::Or>(isa::Or::types{}), binaries<isa::AddRelu>(isa::AddRelu::types{}),
    binaries<isa::SubRelu>(isa::SubRelu::types{}), ternaries<isa::MulAddDst>(isa::MulAddDst::types{}),
    ternaries<isa::FusedMulAdd>(isa::FusedMulAdd::types{}), ternaries<isa::FusedMulAddRelu>(isa::FusedMulAddRelu::types{}));

}  // namespace
}  // namespace vec
}  // namespace npu_emu
