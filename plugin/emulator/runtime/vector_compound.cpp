// Compound instructions whose result has another type than their sources.
#include <cstring>
#include <tuple>
#include <vector>

#include "library_work.h"
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

// The sums of a run, scaled, as halves that are none below 0.
void deqRelu(half* out, const uint8_t* src0, const uint8_t* src1, size_t n, float factor) {
  const bool clamps = saturatesResults();
  for (size_t i = 0; i < n; ++i) {
    const int32_t x = reinterpret_cast<const int32_t*>(src0)[i], y = reinterpret_cast<const int32_t*>(src1)[i];
    const int32_t sum = clamps ? Saturated<isa::Add>::element(x, y) : isa::Add::element(x, y);
    const auto value = static_cast<half>(static_cast<float>(sum) * factor);
    out[i] = value <= half(0) ? half(0) : value;
  }
  if (clamps) clampHalves(reinterpret_cast<uint8_t*>(out), n);
}

// AddDeqRelu takes as many elements at a time as its area in UB has room for. What it makes of them on the way to dst it leaves, densely,
// where src0 and src1 begin: as float, and as half.
class DeqRelu {
 public:
  static constexpr const char* name = "AddDeqRelu";

  DeqRelu(const std::array<Operand, 3>& operands, const Walk& walk)
      : operands_(operands), walk_(walk), lanes_(resolve(walk, sizeof(int32_t), widths.data(), 3)), last_(lanes_) {
    requireBlocksApart(name, walk, lanes_, sizeof(int32_t));
    if (walk.kind == Walk::Count || (walk.setsMask && !core->maskCounter)) return;
    // the last instruction takes lanes of halves again, all of them where the mask is not set
    endsApart_ = true;
    last_ = {};
    last_.perRepeat = repeatBytes / sizeof(half);
    last_.repeats = walk.repeats;
    last_.total = uint64_t(last_.repeats) * last_.perRepeat;
    maskOfLanes(last_.perRepeat, last_.mask);
    if (walk.setsMask) std::copy(std::begin(walk.mask), std::end(walk.mask), last_.mask);
    std::copy(std::begin(last_.mask), std::end(last_.mask), last_.lastMask);
    restoreMask();
    if (walk.setsMask) std::copy(std::begin(last_.mask), std::end(last_.mask), core->mask);
  }

  void issue() const {
    const WorkingMemory working = reservedMemory(name);
    const Work work = workOf();
    const LaneMap map{walk_, lanes_};
    Instruction instruction{name, Pipe::V, work.occupancy(), work.tail()};
    if (!endsApart_) instruction.lanes = &map;
    npu_emu::issue(
        instruction,
        [&](Touches& touches) {
          working.touch(touches);
          touches.add({operands_[0], reach(walk_, last_, 0, sizeof(half)), writes, "dst"});
          touches.add({operands_[1], reach(walk_, lanes_, 1, sizeof(int32_t)), reads, "src0"});
          touches.add({operands_[2], reach(walk_, lanes_, 2, sizeof(int32_t)), reads, "src1"});
          for (uint32_t piece = 0; piece < pieces(); ++piece) {
            touches.add({ofPiece(1, piece), elementsOf(piece) * wordBytes, writes, "src0"});
            touches.add({ofPiece(2, piece), elementsOf(piece) * halfBytes, writes, "src1"});
          }
        },
        [&] {
          working.leaveGarbage();
          for (uint32_t piece = 0; piece < pieces(); ++piece) carryOut(piece);
        });
  }

 private:
  static constexpr uint32_t wordBytes = sizeof(int32_t), halfBytes = sizeof(half);
  static constexpr uint32_t elementsAtOnce = architecture::libraryBytes / wordBytes;
  static constexpr std::array<uint32_t, 3> widths = {halfBytes, wordBytes, wordBytes};

  std::array<Operand, 3> operands_;
  Walk walk_;
  Lanes lanes_, last_;
  bool endsApart_ = false;

  // Up to the last active lane, one repeat behind the other.
  uint32_t elements() const {
    if (lanes_.contiguous) return static_cast<uint32_t>(lanes_.total);
    if (lanes_.repeats == 0) return 0;
    return (lanes_.repeats - 1) * lanes_.perRepeat + highestLane(lanes_.lastMask);
  }
  uint32_t pieces() const { return ceilDivide(elements(), elementsAtOnce); }
  uint32_t elementsOf(uint32_t piece) const { return std::min(elements() - piece * elementsAtOnce, elementsAtOnce); }
  Operand ofPiece(uint32_t operand, uint32_t piece) const {
    Operand part = operands_[operand];
    const bool isDense = walk_.kind == Walk::Count;
    part.address += size_t(piece) * elementsAtOnce * widths[operand] *
                    (isDense ? blocksPerRepeat : walk_.repeatStride[operand]) / blocksPerRepeat;
    return part;
  }

  Work workOf() const {
    constexpr uint32_t wholeWords = 6;  // the sum, conversions, and three multiplications
    Work work;
    for (uint32_t piece = 0; piece < pieces(); ++piece) {
      const uint64_t bytes = uint64_t(elementsOf(piece)) * wordBytes;
      work.step(bytes, 1, wholeWords).step(bytes / 2).step(walk_.kind == Walk::Count ? bytes / 2 : bytes);
    }
    return work;
  }

  void carryOut(uint32_t piece) const {
    constexpr uint8_t lost = 0xff;
    const uint32_t first = piece * elementsAtOnce, end = first + elementsOf(piece);
    std::vector<half> results(elementsAtOnce + repeatBytes);
    std::memset(static_cast<void*>(results.data()), lost, results.size() * halfBytes);
    // f(place in the operands, elements, the first of them in the piece)
    const auto forEach = [&](const auto& f) {
      forEachRunOfLanes<3>(walk_, lanes_, widths, [&](const std::array<size_t, 3>& offset, size_t n, uint64_t lane) {
        const uint64_t from = std::max<uint64_t>(lane, first), to = std::min<uint64_t>(lane + n, end);
        if (from >= to) return;
        std::array<uint8_t*, 3> at;
        for (size_t i = 0; i < at.size(); ++i) at[i] = operands_[i].address + offset[i] + (from - lane) * widths[i];
        f(at, to - from, from - first);
      });
    };
    forEach([&](const auto& at, size_t n, uint64_t lane) {
      deqRelu(results.data() + lane, at[1], at[2], n, core->deqScale);
    });
    forEach([&](const auto&, size_t n, uint64_t lane) {
      std::memset(ofPiece(1, piece).address + lane * wordBytes, lost, n * wordBytes);
      std::memset(ofPiece(2, piece).address + lane * halfBytes, lost, n * halfBytes);
    });
    if (!endsApart_) {
      forEach(
          [&](const auto& at, size_t n, uint64_t lane) { std::memcpy(at[0], results.data() + lane, n * halfBytes); });
      return;
    }
    forEachRunOfLanes<1>(walk_, last_, {halfBytes}, [&](const std::array<size_t, 1>& offset, size_t n, uint64_t lane) {
      const uint64_t repeat = lane / last_.perRepeat, at = repeat * lanes_.perRepeat + lane % last_.perRepeat;
      if (at >= first && at < first + elementsAtOnce)
        std::memcpy(operands_[0].address + offset[0], results.data() + (at - first), n * halfBytes);
    });
  }
};

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
  requireSet(Register::Scale, DeqRelu::name);
  DeqRelu({dst, src0, src1}, walk).issue();
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
