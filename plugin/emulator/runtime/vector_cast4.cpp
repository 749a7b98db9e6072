// Conversion between half and 4-bit integers: two of them share a byte, the first in the lower half.
#include "numerics.h"
#include "repeat_order.h"
#include "walk.h"

namespace npu_emu {

namespace {

using AscendC::RoundMode;

constexpr uint32_t lanesPerRepeat = 128, nibblesPerBlock = 64, halvesPerBlock = 16;

template <RoundMode mode>
unsigned toNibble(half value) {
  float whole = roundToInteger<mode>(static_cast<float>(value));
  if (whole != whole) return 0;
  return static_cast<unsigned>(static_cast<int>(whole < -8 ? -8 : whole > 7 ? 7 : whole)) & 15u;
}

unsigned toNibble(half value, RoundMode mode) {
  switch (mode) {
    case RoundMode::CAST_FLOOR: return toNibble<RoundMode::CAST_FLOOR>(value);
    case RoundMode::CAST_CEIL: return toNibble<RoundMode::CAST_CEIL>(value);
    case RoundMode::CAST_ROUND: return toNibble<RoundMode::CAST_ROUND>(value);
    case RoundMode::CAST_TRUNC: return toNibble<RoundMode::CAST_TRUNC>(value);
    default: return toNibble<RoundMode::CAST_RINT>(value);
  }
}

half fromNibble(unsigned nibble) { return static_cast<half>(static_cast<float>(static_cast<int>(nibble << 28) >> 28)); }

[[noreturn]] void oddLanes() {
  trap({Check::ParameterRange, "Cast",
        "a byte holds two int4b_t: counts are even, and both bits of a pair of the mask are alike",
        "convert an even number of elements"});
}

// Bytes of the 4-bit operand, which `nibbles` is the index of.
Reach nibblesOf(const Walk& walk, const Lanes& lanes, size_t nibbles) {
  // in counter mode the last repeat may have fewer lanes than those before it
  const uint32_t lane = std::max(highestLane(lanes.lastMask), lanes.repeats > 1 ? highestLane(lanes.mask) : 0);
  if (lanes.repeats == 0 || lane == 0) return 0u;
  const uint64_t rowStride = uint64_t(walk.repeatStride[nibbles]) * blockBytes,
                 blockStride = uint64_t(walk.blockStride[nibbles]) * blockBytes;
  const uint32_t last = (lane - 1) % nibblesPerBlock / 2 + 1, blocks = ceilDivide(lane, nibblesPerBlock);
  if (blocks == 1 || blockStride == blockBytes)
    return Reach::strided((blocks - 1) * blockBytes + last, lanes.repeats, rowStride);
  Reach bytes = Reach::strided(blockBytes, lanes.repeats, rowStride, blocks, blockStride);
  bytes.bytes -= blockBytes - last;
  return bytes;
}

// What the repeats touch of the 4-bit operand.
Footprint footprintOfNibbles(const Operand& operand, const Walk& walk, const Lanes& lanes, size_t nibbles) {
  constexpr uint32_t bytesOfRepeat = lanesPerRepeat / 2;
  if (lanes.contiguous) {
    Footprint all(operand.address, bytesOfRepeat, {{0, bytesOfRepeat}});
    all.last = {{0, static_cast<uint32_t>((lanes.total - 1) % lanesPerRepeat + 1) / 2}};
    return all;
  }
  const auto runsUnder = [&](const uint64_t(&mask)[2]) {
    std::vector<Footprint::Run> runs;
    for (uint32_t lane = 0; lane < lanesPerRepeat; lane += 2) {
      if ((mask[lane / 64] >> (lane % 64) & 1) == 0) continue;
      const uint32_t at = lane / nibblesPerBlock * walk.blockStride[nibbles] * blockBytes + lane % nibblesPerBlock / 2;
      if (!runs.empty() && runs.back().offset + runs.back().bytes == at) ++runs.back().bytes;
      else runs.push_back({at, 1});
    }
    return runs;
  };
  Footprint masked(operand.address, size_t(walk.repeatStride[nibbles]) * blockBytes, runsUnder(lanes.mask));
  masked.last = runsUnder(lanes.lastMask);
  return masked;
}

// `nibbles` is the index of the 4-bit operand in the walk; f(half, byte) converts two elements.
template <typename F>
void execute(const Walk& walk, std::array<Operand, 2> operands, size_t nibbles, F f) {
  size_t halves = 1 - nibbles;
  // A walk in which both operands count 16 bits, so that what is dense in 4 bits counts as dense.
  Walk even = walk;
  even.repeatStride[nibbles] =
      walk.repeatStride[nibbles] == lanesPerRepeat / nibblesPerBlock && walk.blockStride[nibbles] == 1 ? 8 : 9;
  constexpr uint32_t widths[] = {2, 2};
  Lanes lanes = resolve(even, 2, widths, 2);
  constexpr uint64_t evenBits = 0x5555555555555555;
  bool paired = lanes.contiguous ? lanes.total % 2 == 0 : true;
  for (const auto& mask : {lanes.mask, lanes.lastMask})
    for (int i = 0; i < 2 && !lanes.contiguous; ++i)
      paired = paired && (mask[i] & evenBits) == (mask[i] >> 1 & evenBits);
  if (!paired) oddLanes();
  Reach bytes[2];
  bytes[halves] = reach(even, lanes, halves, 2);
  bytes[nibbles] = lanes.contiguous ? Reach(static_cast<uint32_t>(lanes.total / 2)) : nibblesOf(walk, lanes, nibbles);
  bytes[nibbles].runs.place = LanePlace::Nibbles;
  bytes[nibbles].runs.operand = static_cast<uint8_t>(nibbles);
  const LaneMap map{walk, lanes};
  issue(onLanes(map, "Cast", vectorCycles(lanes, 2, castCost.c16), castCost.tail),
        {{operands[0], bytes[0], writes, "dst"}, {operands[1], bytes[1], reads, "src"}}, [&] {
          RepeatOrder order;
          if (meet({operands[0], bytes[0], writes, ""}, {operands[1], bytes[1], reads, ""})) {
            const auto footprintOf = [&](size_t i) {
              return i == nibbles ? footprintOfNibbles(operands[i], walk, lanes, i)
                                  : Footprint(operands[i], walk, lanes, i, sizeof(half));
            };
            order = RepeatOrder("Cast", repeatsOf(lanes), footprintOf(0), {footprintOf(1)}, Parts::Silent);
          }
          const std::array<Operand, 2> at = {operands[0], order.source(operands[1])};
          uint8_t* ofHalves = at[halves].address;
          uint8_t* ofNibbles = at[nibbles].address;
          if (lanes.contiguous) {
            for (uint64_t i = 0; i < lanes.total; i += 2) {
              f(reinterpret_cast<half*>(ofHalves) + i, ofNibbles + i / 2);
              if ((i + 2) % lanesPerRepeat == 0) order.end(static_cast<uint32_t>(i / lanesPerRepeat));
            }
            return;
          }
          for (uint32_t repeat = 0; repeat < lanes.repeats; order.end(repeat++)) {
            const uint64_t* mask = repeat + 1 == lanes.repeats ? lanes.lastMask : lanes.mask;
            for (uint32_t lane = 0; lane < lanesPerRepeat; lane += 2) {
              if ((mask[lane / 64] >> (lane % 64) & 1) == 0) continue;
              size_t halfBlock =
                  size_t(repeat) * walk.repeatStride[halves] + size_t(lane / halvesPerBlock) * walk.blockStride[halves];
              size_t nibbleBlock = size_t(repeat) * walk.repeatStride[nibbles] +
                                   size_t(lane / nibblesPerBlock) * walk.blockStride[nibbles];
              f(reinterpret_cast<half*>(ofHalves + halfBlock * blockBytes) + lane % halvesPerBlock,
                ofNibbles + nibbleBlock * blockBytes + lane % nibblesPerBlock / 2);
            }
          }
        });
}

}  // namespace

namespace vec {

template <>
void cast<half, int4b_t>(Operand dst, Operand src, RoundMode mode, const Walk& walk) {
  if (mode != RoundMode::CAST_NONE)
    trap({Check::CastMode, "Cast", "int4b_t to half only knows RoundMode::CAST_NONE", "widening casts take CAST_NONE"});
  execute(walk, {dst, src}, 1, [](half* out, const uint8_t* in) {
    out[0] = fromNibble(*in & 15u);
    out[1] = fromNibble(*in >> 4);
  });
}

template <>
void cast<int4b_t, half>(Operand dst, Operand src, RoundMode mode, const Walk& walk) {
  if (mode == RoundMode::CAST_ODD)
    trap({Check::CastMode, "Cast", "half to int4b_t does not know RoundMode::CAST_ODD", "take CAST_RINT and the like"});
  execute(walk, {dst, src}, 0, [mode](const half* in, uint8_t* out) {
    *out = static_cast<uint8_t>(toNibble(in[0], mode) | toNibble(in[1], mode) << 4);
  });
}

}  // namespace vec

half roundOddToHalf(float value) {
  return static_cast<half>(roundToFormat<RoundMode::CAST_ODD>(value, 10, -14, 65504.0f));
}

void scalarWork(uint32_t cycles) { scalarCycles(cycles); }

}  // namespace npu_emu
