// Element-wise vector instructions of two sources, and how all of them are executed.
#include "elementwise.h"
#include "api_calls.h"
#include "repeat_order.h"

namespace npu_emu {

using namespace elementwise;

namespace {

// Two sources that start in the same group of banks are read one after the other.
float bankFactor(const Operand& a, const Operand& b, const Lanes& lanes) {
  auto group = [](const Operand& operand) { return reinterpret_cast<uintptr_t>(operand.address) / blockBytes % 16; };
  return lanes.contiguous && a.address != b.address && group(a) == group(b) ? 2.0f : 1.0f;
}

// Where every repeat works on its first blocks, and on all lanes of them.
bool isOfWholeBlocks(const Lanes& lanes, const ActiveBlocks& active) {
  const bool alike = lanes.lastMask[0] == lanes.mask[0] && lanes.lastMask[1] == lanes.mask[1];
  return lanes.repeats != 0 && alike && active.whole && active.count != 0 && active.last() + 1 == active.count;
}

BlockRows rowsOf(const Strided (&operands)[3], uint32_t rows, uint32_t blocks) {
  BlockRows all;
  for (uint32_t i = 0; i < 3; ++i) {
    all.at[i] = operands[i].address;
    all.rowStep[i] = size_t(operands[i].repeatStride) * blockBytes;
    all.blockStep[i] = blocks == 1 ? all.rowStep[i] : size_t(operands[i].blockStride) * blockBytes;
  }
  all.rows = blocks == 1 ? 1 : rows;
  all.blocks = blocks == 1 ? rows : blocks;
  return all;
}

void carryOut(const Elementwise& instruction, const std::array<Operand, 3>& operands, const Walk& walk,
              const Lanes& lanes, const Rules& rules, const void* scalar) {
  const uint32_t bytes = instruction.elementBytes, n = instruction.operands;
  const bool clamps = instruction.half && saturatesResults();
  auto apply = [&](uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t count) {
    rules.ofRun(dst, src0, src1, count, scalar);
    if (clamps) clampHalves(dst, count);
  };
  if (lanes.contiguous) return apply(operands[0].address, operands[1].address, operands[2].address, lanes.total);
  Strided strided[3];
  for (uint32_t i = 0; i < n; ++i) strided[i] = {operands[i].address, walk.blockStride[i], walk.repeatStride[i]};
  if (rules.ofBlocks != nullptr) {
    const ActiveBlocks active(lanes.mask, lanes.perRepeat);
    if (isOfWholeBlocks(lanes, active)) return rules.ofBlocks(rowsOf(strided, lanes.repeats, active.count));
  }
  if (canStage(strided, n, lanes))
    return forEachStaged(strided, n, instruction.readsDst, instruction.effect, lanes, bytes, apply);
  forEachRun<3>(walk, lanes, {bytes, bytes, bytes}, [&](const std::array<size_t, 3>& offset, size_t count) {
    apply(operands[0].address + offset[0], operands[1].address + offset[1], operands[2].address + offset[2], count);
  });
}

// The form of a sum over repeats that the documentation names: dst is the second source, and one of them stays.
bool isAccumulation(const Elementwise& instruction, const Extent& dst, const Extent& src1, const Walk& walk) {
  return instruction.accumulatesSrc1 && dst.begin() == src1.begin() && walk.blockStride[0] == walk.blockStride[2] &&
         (walk.repeatStride[0] == 0 || walk.repeatStride[2] == 0);
}

// Where a repeat may read what is written by another one, or a part of what it writes itself.
[[gnu::noinline]] void carryOutInOrder(const Elementwise& instruction, const std::array<Operand, 3>& operands,
                                       const Extent* extents, const Walk& walk, const Lanes& lanes, const Rules& rules,
                                       const void* scalar) {
  const uint32_t bytes = instruction.elementBytes, widths[] = {bytes, bytes, bytes};
  std::vector<Footprint> sources;
  for (uint32_t i = 1; i < instruction.operands; ++i)
    if (i == 1 || !isAccumulation(instruction, extents[0], extents[i], walk))
      sources.emplace_back(operands[i], walk, lanes, i, bytes);
  RepeatOrder order(instruction.name, repeatsOf(lanes), Footprint(operands[0], walk, lanes, 0, bytes), sources,
                    Parts::Reported, instruction.readsDst);
  forEachInOrder<3>(order, operands, walk, lanes, widths, [&](const auto& at, const Lanes& some, uint32_t) {
    carryOut(instruction, at, walk, some, rules, scalar);
  });
}

}  // namespace

namespace elementwise {

void execute(const Elementwise& instruction, const std::array<Operand, 3>& operands, const Walk& walk, Rules rules,
             const void* scalar) {
  static constexpr const char* roles[] = {"dst", "src0", "src1"};
  const uint32_t bytes = instruction.elementBytes, n = instruction.operands;
  const uint32_t widths[] = {bytes, bytes, bytes};
  const Lanes lanes = resolve(walk, bytes, widths, n);
  requireBlocksApart(instruction.name, walk, lanes, bytes);
  // built in place: copying what was just written stalls
  auto extentOf = [&](uint32_t i) -> Extent {
    return {operands[i],
            i < n ? reach(walk, lanes, i, bytes) : Reach(),
            i == 0,
            n == 2 && i == 1 ? "src" : roles[i],
            operandAlignment,
            Memory::UB,
            i != 0 && instruction.ignoresSources ? Seen::ByCompilerOnly : Seen::ByAll};
  };
  const Extent extents[] = {extentOf(0), extentOf(1), extentOf(2)};
  float cycles = bytes <= 2 ? instruction.cost.c16 : instruction.cost.c32;
  if (n == 3) cycles *= bankFactor(operands[1], operands[2], lanes);
  bool meets = instruction.readsDst && mayMeet(extents[0], extents[0], walk, lanes, 0, widths);
  for (uint32_t i = 1; i < n; ++i) {
    const bool isAllowed = i == 2 && isAccumulation(instruction, extents[0], extents[i], walk);
    meets = meets || (!isAllowed && mayMeet(extents[0], extents[i], walk, lanes, i, widths));
  }
  const LaneMap map{walk, lanes, instruction.readsDst};
  issue(onLanes(map, instruction.name, vectorCycles(lanes, bytes, cycles), instruction.cost.tail), {extents, n}, [&] {
    if (__builtin_expect(meets, 0)) return carryOutInOrder(instruction, operands, extents, walk, lanes, rules, scalar);
    carryOut(instruction, operands, walk, lanes, rules, scalar);
  });
}

}  // namespace elementwise

namespace {

template <typename I, typename T>
void binaryRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  applyRun<T, 2, false, compares<I>>(dst, a, b, n,
                                     [](Wide<T> x, Wide<T> y, Wide<T>) { return I::template element<Wide<T>>(x, y); });
}

template <typename I, typename T>
void ternaryRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  applyRun<T, 2, true>(dst, a, b, n, fused<I, T>);
}

// Operands of two sources are often strided: one of them is broadcast.
template <typename I, typename T>
constexpr BlockRule binaryBlocks() {
  if constexpr (!isNarrow<T>) return [](const BlockRows& rows) { applyBlocks<T>(rows, I::template element<T>); };
  else return nullptr;
}

}  // namespace

namespace vec {

template <typename I, typename T>
void binary(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  Rules rules(binaryRule<I, T>, binaryBlocks<I, T>());
  if constexpr (std::is_integral_v<T> && canSaturate<I>)
    if (saturatesResults()) rules = binaryRule<Saturated<I>, T>;
  Elementwise instruction = {I::name, I::cost, sizeof(T), 3, isHalf<T>};
  instruction.accumulatesSrc1 =
      Types<half, int32_t, float>::has<T> &&
      Types<isa::Add, isa::Sub, isa::Mul, isa::Max, isa::Min, isa::AddRelu, isa::SubRelu>::has<I>;
  // taking integers from themselves clears memory that nothing has written
  if constexpr (std::is_integral_v<T> && std::is_same_v<I, isa::Sub>) {
    const bool isSame = dst.address == src0.address && dst.address == src1.address;
    const auto alike = [](const auto& strides) { return strides[0] == strides[1] && strides[0] == strides[2]; };
    instruction.ignoresSources = isSame && alike(walk.blockStride) && alike(walk.repeatStride);
  }
  execute(instruction, {dst, src0, src1}, walk, rules, nullptr);
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

constexpr auto instantiated = asTuple(std::make_tuple(
    binaries<isa::Add>(isa::Add::types{}), binaries<isa::Sub>(isa::Sub::types{}), binaries<isa::Mul>(isa::Mul::types{}),
    binaries<isa::Div>(isa::Div::types{}), binaries<isa::Max>(isa::Max::types{}), binaries<isa::Min>(isa::Min::types{}),
    binaries<isa::And>(isa::And::types{}), binaries<isa::Or>(isa::Or::types{}),
    binaries<isa::AddRelu>(isa::AddRelu::types{}), binaries<isa::SubRelu>(isa::SubRelu::types{}),
    ternaries<isa::MulAddDst>(isa::MulAddDst::types{}), ternaries<isa::FusedMulAdd>(isa::FusedMulAdd::types{}),
    ternaries<isa::FusedMulAddRelu>(isa::FusedMulAddRelu::types{})));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
