// Compound instructions whose result has another type than their sources.
#include <tuple>

#include "library.h"
#include "numerics.h"
#include "repeat_order.h"
#include "saturation.h"
#include "walk.h"
#include "api_calls.h"

namespace npu_emu {

namespace {

// The intermediate result has the type of the sources, as the table of limits shows: half overflows, int16_t saturates.
template <typename S>
float intermediate(float value) {
  if constexpr (std::is_same_v<S, half>) return static_cast<float>(static_cast<half>(value));
  if constexpr (std::is_same_v<S, int16_t>) return static_cast<float>(saturateWhole<int16_t>(value));
  return value;
}

// Rounds to nearest even; NaN becomes 0, half included.
template <typename D>
D narrowed(float value) {
  if constexpr (std::is_same_v<D, half>) return value == value ? static_cast<half>(value) : half(0);
  else return saturateWhole<D>(std::nearbyint(value));
}

// What an instruction writes of each block of the destination, which it reaches by whole ones where this is a half.
enum class BlockPart : uint8_t { Whole, LowerHalf, UpperHalf };

Reach halvesOf(const Reach& all, BlockPart part) {
  constexpr uint32_t halfBlock = blockBytes / 2;
  const uint32_t whole = (all.bytes + blockBytes - 1) / blockBytes * blockBytes;
  const auto place = [&](Reach& halves) {
    halves.runs.place = part == BlockPart::UpperHalf ? LanePlace::UpperHalves : LanePlace::LowerHalves;
    halves.runs.operand = all.runs.operand;
  };
  Reach halves = whole;
  if (!all.runs.isOne()) {
    place(halves);
    return halves;
  }
  halves = Reach::strided(halfBlock, whole / blockBytes, blockBytes);
  halves.bytes = whole;
  halves.begin = part == BlockPart::UpperHalf ? halfBlock : 0;
  place(halves);
  return halves;
}

struct Compound {
  const char* name;
  Cost cost;
  uint32_t dstBytes, srcBytes;
  uint32_t operands;  // destination included
  bool half = false;  // results that saturation mode clamps
  BlockPart part = BlockPart::Whole;
  WorkingMemory working = {};
  bool readsDst = false;
};

using Rule = void (*)(uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t n, const void* argument);

// `parameters` are read besides the operands; `prepare` makes the argument of the rule when they have been checked.
template <typename Prepare>
void execute(const Compound& instruction, const std::array<Operand, 3>& operands, const Walk& walk, Rule rule,
             const Extent& parameters, const Prepare& prepare) {
  static constexpr const char* roles[] = {"dst", "src0", "src1"};
  const std::array<uint32_t, 3> widths = {instruction.dstBytes, instruction.srcBytes, instruction.srcBytes};
  uint32_t widest = std::max(instruction.dstBytes, instruction.srcBytes);
  Lanes lanes = resolve(walk, widest, widths.data(), instruction.operands);
  requireBlocksApart(instruction.name, walk, lanes, widest);
  const float cycles = widest <= 2 ? instruction.cost.c16 : instruction.cost.c32;
  const auto extentOf = [&](uint32_t i) -> Extent {
    return {operands[i], reach(walk, lanes, i, widths[i]), i == 0, roles[i]};
  };
  const Extent whole = extentOf(0);
  bool meets = instruction.readsDst && mayMeet(whole, whole, walk, lanes, 0, widths.data());
  for (uint32_t i = 1; i < instruction.operands; ++i)
    meets = meets || mayMeet(whole, extentOf(i), walk, lanes, i, widths.data());
  const LaneMap map{walk, lanes, instruction.readsDst};
  issue(
      onLanes(map, instruction.name, vectorCycles(lanes, widest, cycles), instruction.cost.tail),
      [&](Touches& touches) {
        touches.add(parameters);
        instruction.working.touch(touches);
        for (uint32_t i = 0; i < instruction.operands; ++i) {
          Extent extent = extentOf(i);
          if (i == 0 && instruction.part != BlockPart::Whole) extent.bytes = halvesOf(extent.bytes, instruction.part);
          touches.add(extent);
        }
      },
      [&] {
        instruction.working.leaveGarbage();
        const void* argument = prepare();
        RepeatOrder order;
        if (meets) {
          std::vector<Footprint> sources;
          for (uint32_t i = 1; i < instruction.operands; ++i)
            sources.emplace_back(operands[i], walk, lanes, i, widths[i]);
          order = RepeatOrder(instruction.name, repeatsOf(lanes), Footprint(operands[0], walk, lanes, 0, widths[0]),
                              sources, widths[0] == widths[1] ? Parts::Reported : Parts::Silent, instruction.readsDst);
        }
        forEachInOrder<3>(
            order, operands, walk, lanes, widths.data(), [&](const auto& at, const Lanes& some, uint32_t) {
              forEachRun<3>(walk, some, widths, [&](const std::array<size_t, 3>& offset, size_t count) {
                rule(at[0].address + offset[0], at[1].address + offset[1], at[2].address + offset[2], count, argument);
                if (instruction.half && saturatesResults()) clampHalves(at[0].address + offset[0], count);
              });
            });
      });
}

void execute(const Compound& instruction, const std::array<Operand, 3>& operands, const Walk& walk, Rule rule,
             const void* argument) {
  execute(instruction, operands, walk, rule, unseenByCompiler({}), [&] { return argument; });
}

constexpr size_t chunk = 256;  // elements that are computed before the first of them is stored

template <typename S>
void load(float* out, const S* in, size_t n) {
  if constexpr (std::is_same_v<S, half>) widen(out, in, n);
  else
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(in[i]);
}

template <typename S>
void toIntermediates(float* x, size_t n) {
  if constexpr (std::is_same_v<S, half>) {
    half rounded[chunk];
    narrow(rounded, x, n);
    widen(x, rounded, n);
  } else {
    for (size_t i = 0; i < n; ++i) x[i] = intermediate<S>(x[i]);
  }
}

template <typename I, typename D, typename S>
void castRule(uint8_t* dst, const uint8_t* src0, const uint8_t* src1, size_t n, const void*) {
  float x[chunk];
  for (size_t first = 0; first < n; first += chunk) {
    const size_t m = std::min(chunk, n - first);
    const S *a = reinterpret_cast<const S*>(src0) + first, *b = reinterpret_cast<const S*>(src1) + first;
    if constexpr (convertsInLoops) {
      NPU_INDEPENDENT
      for (size_t i = 0; i < m; ++i)
        x[i] = intermediate<S>(I::element(static_cast<float>(a[i]), static_cast<float>(b[i])));
    } else {
      float y[chunk];
      load(x, a, m);
      load(y, b, m);
      for (size_t i = 0; i < m; ++i) x[i] = I::element(x[i], y[i]);
      toIntermediates<S>(x, m);
    }
    D* out = reinterpret_cast<D*>(dst) + first;
    NPU_INDEPENDENT
    for (size_t i = 0; i < m; ++i) out[i] = narrowed<D>(x[i]);
  }
}

void mulAddRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void*) {
  auto* out = reinterpret_cast<float*>(dst);
  for (size_t i = 0; i < n; ++i)
    out[i] = std::fma(static_cast<float>(reinterpret_cast<const half*>(a)[i]),
                      static_cast<float>(reinterpret_cast<const half*>(b)[i]), out[i]);
}

void axpyRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void* scalar) {
  auto* out = reinterpret_cast<float*>(dst);
  float value = *static_cast<const float*>(scalar);
  for (size_t i = 0; i < n; ++i)
    out[i] = std::fma(static_cast<float>(reinterpret_cast<const half*>(a)[i]), value, out[i]);
}

void deqReluRule(uint8_t* dst, const uint8_t* a, const uint8_t* b, size_t n, const void* scale) {
  float factor = *static_cast<const float*>(scale);
  bool clamps = saturatesResults();
  for (size_t i = 0; i < n; ++i) {
    int32_t x = reinterpret_cast<const int32_t*>(a)[i], y = reinterpret_cast<const int32_t*>(b)[i];
    int32_t sum = clamps ? Saturated<isa::Add>::element(x, y) : isa::Add::element(x, y);
    auto value = static_cast<half>(static_cast<float>(sum) * factor);
    reinterpret_cast<half*>(dst)[i] = value <= half(0) ? half(0) : value;
  }
}

// The parameters of one lane of a block, unpacked.
struct Dequantisation {
  float scale;
  float offset;
  Dequantisation(uint64_t config = 0)
      : scale(bitCast<float>(static_cast<uint32_t>(config) & 0xffffe000u)),  // 10 bits of mantissa
        offset(static_cast<float>(static_cast<int32_t>(static_cast<uint32_t>(config >> 37) << 23) >> 23)) {}
};

struct DequantArgument {
  Dequantisation lanes[16];
  bool upperHalf;
};

// The walk counts 16 bits for each result: its offset says the block and the lane, the result takes a byte of that
// block.
template <typename D>
void dequantRule(uint8_t* dst, const uint8_t* a, const uint8_t*, size_t n, const void* argument) {
  const auto& parameters = *static_cast<const DequantArgument*>(argument);
  size_t first = reinterpret_cast<uintptr_t>(dst) % blockBytes / 2;
  uint8_t* block = dst - first * 2 + (parameters.upperHalf ? 16 : 0);
  for (size_t i = 0; i < n; ++i) {
    size_t lane = (first + i) % 16;
    const Dequantisation& of = parameters.lanes[lane];
    float value = std::nearbyint(static_cast<float>(reinterpret_cast<const int16_t*>(a)[i]) * of.scale + of.offset);
    reinterpret_cast<D*>(block + (first + i) / 16 * blockBytes)[lane] = saturateWhole<D>(value);
  }
}

}  // namespace

namespace vec {

template <typename I, typename D, typename S>
void binaryCast(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  execute({I::name, I::cost, sizeof(D), sizeof(S), 3, std::is_same_v<D, half>}, {dst, src0, src1}, walk,
          castRule<I, D, S>, nullptr);
}

void mulAddWide(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  execute({isa::MulAddDst::name, isa::MulAddDst::cost, 4, 2, 3, false, BlockPart::Whole, {}, true}, {dst, src0, src1},
          walk, mulAddRule, nullptr);
}

void axpyWide(Operand dst, Operand src, half value, const Walk& walk) {
  float wide = static_cast<float>(value);
  execute({isa::Axpy::name, isa::Axpy::cost, 4, 2, 2, false, BlockPart::Whole, {}, true}, {dst, src, {}}, walk,
          axpyRule, &wide);
}

void addDeqRelu(Operand dst, Operand src0, Operand src1, const Walk& walk) {
  const WorkingMemory working = reservedMemory("AddDeqRelu");
  requireSet(Register::Scale, "AddDeqRelu");
  execute({"AddDeqRelu", isa::dequantCost, 2, 4, 3, true, BlockPart::Whole, working}, {dst, src0, src1}, walk,
          deqReluRule, &core->deqScale);
}

template <typename D>
void castDequant(Operand dst, Operand src, bool perLane, bool upperHalf, const Walk& walk) {
  requireSet(perLane ? Register::Scales : Register::ScaleAndOffset, "CastDequant");
  DequantArgument argument{{}, upperHalf};
  const uint32_t parameterBytes = perLane ? 128 : 0;
  const BlockPart part = upperHalf ? BlockPart::UpperHalf : BlockPart::LowerHalf;
  execute({"CastDequant", isa::dequantCost, 2, 2, 2, false, part}, {dst, src, {}}, walk, dequantRule<D>,
          unseenByCompiler({core->deqVector, parameterBytes, reads, "the tensor given to SetDeqScale"}), [&] {
            for (size_t i = 0; i < 16; ++i) {
              uint64_t config = core->deqConfig;
              if (perLane) std::memcpy(&config, core->deqVector.address + i * sizeof config, sizeof config);
              argument.lanes[i] = Dequantisation(config);
            }
            return &argument;
          });
}

namespace {

// All forms of SetDeqScale set one register: what another one has set is gone.
void setOnly(Register form) {
  for (Register each : {Register::Scale, Register::ScaleAndOffset, Register::Scales}) core->unset.add(each);
  markSet(form);
}

}  // namespace

void setDeqScale(float scale) {
  core->deqScale = scale;
  setOnly(Register::Scale);
}

void setDeqConfig(uint64_t config) {
  core->deqConfig = config;
  setOnly(Register::ScaleAndOffset);
  scalarCycles(1);
}

void setDeqVector(Operand parameters) {
  core->deqVector = parameters;
  setOnly(Register::Scales);
  scalarCycles(1);
}

const Offers<&binaryCast<isa::MulCast, int8_t, half>, &binaryCast<isa::MulCast, uint8_t, half>,
             &binaryCast<isa::AddReluCast, int8_t, half>, &binaryCast<isa::AddReluCast, int8_t, int16_t>,
             &binaryCast<isa::AddReluCast, half, float>, &binaryCast<isa::SubReluCast, int8_t, half>,
             &binaryCast<isa::SubReluCast, int8_t, int16_t>, &binaryCast<isa::SubReluCast, half, float>,
             &castDequant<int8_t>, &castDequant<uint8_t>>
    offered;

}  // namespace vec
}  // namespace npu_emu
