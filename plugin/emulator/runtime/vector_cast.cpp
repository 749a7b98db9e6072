// Type conversion. Rounding follows the mode; integers saturate; NaN becomes 0.
#include <tuple>

#include "numerics.h"
#include "repeat_order.h"
#include "saturation.h"
#include "walk.h"
#include "api_calls.h"

namespace npu_emu {

namespace {

using AscendC::RoundMode;

template <typename D>
D saturate(double value) {
  if (value != value) return 0;
  constexpr double low = static_cast<double>(std::numeric_limits<D>::min());
  constexpr double high = static_cast<double>(std::numeric_limits<D>::max());
  if (value <= low) return std::numeric_limits<D>::min();
  return value >= high ? std::numeric_limits<D>::max() : static_cast<D>(value);
}

template <typename D, RoundMode mode>
D toInteger(float value) {
  if constexpr (sizeof(D) <= 4) {
    return saturateWhole<D>(roundToInteger<mode>(value));
  } else {
    return saturate<D>(roundToInteger<mode>(static_cast<double>(value)));
  }
}

template <typename S>
float toFloat(S value) {
  return static_cast<float>(value);
}

// The rounding of an integer that a float cannot hold follows the mode as well.
template <RoundMode mode, typename S>
float integerToFloat(S value) {
  if constexpr (sizeof(S) < 4) return static_cast<float>(value);
  if constexpr (mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE) return static_cast<float>(value);
  int lost = 0;
  for (uint64_t magnitude = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
       magnitude >> lost >= (1u << 24);)
    ++lost;
  // A double cannot hold the quotient of a 64-bit value: all that rounding needs of the rest is where it lies to one
  // half.
  int64_t whole = static_cast<int64_t>(value) >> lost;
  uint64_t rest = static_cast<uint64_t>(value) - (static_cast<uint64_t>(whole) << lost);
  uint64_t half = lost == 0 ? 1 : uint64_t(1) << (lost - 1);
  double part = rest == 0 ? 0.0 : rest < half ? 0.25 : rest == half ? 0.5 : 0.75;
  double rounded = roundToInteger<mode>(static_cast<double>(whole) + part);
  return static_cast<float>(rounded * std::ldexp(1.0, lost));
}

template <typename D, typename S, RoundMode mode>
void convert(D* out, const S* in, size_t n) {
  constexpr bool nearest = mode == RoundMode::CAST_RINT || mode == RoundMode::CAST_NONE;
  if constexpr (std::is_same_v<D, float> && (std::is_same_v<S, half> || std::is_same_v<S, bfloat16_t>)) {
    // Whole runs from back to front would be needed for an in-place widening; the device cannot do it either.
    widen(out, in, n);
  } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, float>) {
    for (size_t i = 0; i < n; ++i) out[i] = roundToInteger<mode>(in[i]) + 0.0f;
  } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, half>) {
    if constexpr (nearest && convertsInLoops) {
      NPU_INDEPENDENT
      for (size_t i = 0; i < n; ++i) out[i] = static_cast<half>(in[i]);
    } else if constexpr (nearest) {
      narrow(out, in, n);
    } else {
      for (size_t i = 0; i < n; ++i) out[i] = static_cast<half>(roundToFormat<mode>(in[i], 10, -14, 65504.0f));
    }
  } else if constexpr (std::is_same_v<S, float> && std::is_same_v<D, bfloat16_t>) {
    if constexpr (nearest) {
      narrow(out, in, n);
    } else {
      for (size_t i = 0; i < n; ++i) out[i] = bfloat16_t(roundToFormat<mode>(in[i], 7, -126, 3.3895313892515355e38f));
    }
  } else if constexpr (std::is_integral_v<D> && std::is_integral_v<S>) {
    [[maybe_unused]] bool cuts = cutsIntegers();
    for (size_t i = 0; i < n; ++i) {
      if constexpr (sizeof(D) >= sizeof(S)) out[i] = static_cast<D>(in[i]);
      else if (cuts) out[i] = static_cast<D>(in[i]);
      else
        out[i] = in[i] > S(std::numeric_limits<D>::max())   ? std::numeric_limits<D>::max()
                 : in[i] < S(std::numeric_limits<D>::min()) ? std::numeric_limits<D>::min()
                                                            : static_cast<D>(in[i]);
    }
  } else if constexpr (std::is_integral_v<D> && std::is_same_v<S, half>) {
    constexpr size_t chunk = 256;  // compilers do not convert from half and round in one loop
    float wide[chunk];
    for (size_t first = 0; first < n; first += chunk) {
      const size_t m = std::min(chunk, n - first);
      widen(wide, in + first, m);
      convert<D, float, mode>(out + first, wide, m);
    }
  } else if constexpr (std::is_integral_v<D>) {
    if (cutsIntegers()) {
      for (size_t i = 0; i < n; ++i) out[i] = static_cast<D>(toInteger<int64_t, mode>(static_cast<float>(in[i])));
    } else {
      for (size_t i = 0; i < n; ++i) out[i] = toInteger<D, mode>(static_cast<float>(in[i]));
    }
  } else if constexpr (std::is_same_v<D, half> && std::is_same_v<S, int32_t>) {
    for (size_t i = 0; i < n; ++i) out[i] = static_cast<half>(static_cast<float>(in[i]) * core->deqScale);
  } else if constexpr (std::is_same_v<D, half>) {
    for (size_t i = 0; i < n; ++i) {
      if constexpr (nearest || sizeof(S) < 2) out[i] = static_cast<half>(toFloat(in[i]));
      else out[i] = static_cast<half>(roundToFormat<mode>(toFloat(in[i]), 10, -14, 65504.0f));
    }
  } else {
    for (size_t i = 0; i < n; ++i) out[i] = integerToFloat<mode>(in[i]);
  }
}

using Converter = void (*)(uint8_t*, const uint8_t*, size_t);

template <typename D, typename S, RoundMode mode>
void convertBytes(uint8_t* out, const uint8_t* in, size_t n) {
  convert<D, S, mode>(reinterpret_cast<D*>(out), reinterpret_cast<const S*>(in), n);
}

constexpr uint8_t only(RoundMode mode) { return static_cast<uint8_t>(1u << static_cast<unsigned>(mode)); }
constexpr uint8_t none = only(RoundMode::CAST_NONE);
constexpr uint8_t odd = only(RoundMode::CAST_ODD);
constexpr uint8_t five = only(RoundMode::CAST_RINT) | only(RoundMode::CAST_FLOOR) | only(RoundMode::CAST_CEIL) |
                         only(RoundMode::CAST_ROUND) | only(RoundMode::CAST_TRUNC);

// Round modes that the device knows for each pair of types.
template <typename D, typename S>
constexpr uint8_t legalModes() {
  if constexpr (std::is_same_v<S, half>) {
    if (std::is_same_v<D, float>) return none;
    return sizeof(D) == 1 ? five | none : five;
  } else if constexpr (std::is_same_v<S, float>) {
    return std::is_same_v<D, half> ? five | odd | none : five;
  } else if constexpr (std::is_same_v<S, bfloat16_t>) {
    return std::is_same_v<D, float> ? none : five;
  } else if constexpr (std::is_same_v<S, int16_t>) {
    return std::is_same_v<D, half> ? five | none : none;
  } else if constexpr (std::is_same_v<S, int32_t>) {
    return std::is_same_v<D, float> ? five | none : std::is_same_v<D, half> ? 0xff : none;
  } else if constexpr (std::is_same_v<S, int64_t>) {
    return std::is_same_v<D, float> ? five : none;
  } else {
    return none;
  }
}

constexpr size_t modeCount = 7;

// One per round mode, in the order of RoundMode; null where the pair of types does not know the mode.
template <typename D, typename S, size_t... mode>
constexpr std::array<Converter, modeCount> convertersOf(std::index_sequence<mode...>) {
  constexpr uint8_t legal = legalModes<D, S>();
  return {[] {
    if constexpr ((legal >> mode & 1) != 0) return Converter(convertBytes<D, S, static_cast<RoundMode>(mode)>);
    else return Converter(nullptr);
  }()...};
}

using Clamp = void (*)(uint8_t*, size_t);

void execute(Operand dst, Operand src, uint32_t dstBytes, uint32_t srcBytes, RoundMode mode,
             const Converter* converters, Clamp clamp, const Walk& walk) {
  size_t index = static_cast<size_t>(mode);
  if (index >= modeCount || converters[index] == nullptr) {
    constexpr const char* names[] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                     "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
    trap({Check::CastMode, "Cast",
          text("RoundMode::%s does not exist for this pair of types", index < modeCount ? names[index] : "?"),
          "widening casts take CAST_NONE; narrowing ones take CAST_RINT and the like"});
  }
  uint32_t widest = std::max(dstBytes, srcBytes);
  const uint32_t widths[] = {dstBytes, srcBytes};
  Lanes lanes = resolve(walk, widest, widths, 2);
  requireBlocksApart("Cast", walk, lanes, dstBytes);
  const Extent extents[] = {{dst, reach(walk, lanes, 0, dstBytes), writes, "dst"},
                            {src, reach(walk, lanes, 1, srcBytes), reads, "src"}};
  const bool meets = mayMeet(extents[0], extents[1], walk, lanes, 1, widths);
  const LaneMap map{walk, lanes};
  issue(onLanes(map, "Cast", vectorCycles(lanes, widest, castCost.c32), castCost.tail), extents, [&] {
    RepeatOrder order;
    // what becomes narrower cannot lie in its place, and does no harm there
    if (meets)
      order = RepeatOrder("Cast", repeatsOf(lanes), Footprint(dst, walk, lanes, 0, dstBytes),
                          {Footprint(src, walk, lanes, 1, srcBytes)},
                          dstBytes == srcBytes ? Parts::Reported : Parts::Silent);
    forEachInOrder<2>(order, {dst, src}, walk, lanes, widths, [&](const auto& at, const Lanes& some, uint32_t) {
      forEachRun<2>(walk, some, {dstBytes, srcBytes}, [&](const std::array<size_t, 2>& offset, size_t n) {
        converters[index](at[0].address + offset[0], at[1].address + offset[1], n);
        if (clamp != nullptr) clamp(at[0].address + offset[0], n);
      });
    });
  });
}

}  // namespace

namespace vec {

template <typename D, typename S>
void cast(Operand dst, Operand src, RoundMode mode, const Walk& walk) {
  static constexpr std::array<Converter, modeCount> converters =
      convertersOf<D, S>(std::make_index_sequence<modeCount>());
  Clamp clamp = !saturatesResults()             ? nullptr
                : std::is_same_v<D, half>       ? clampHalves
                : std::is_same_v<D, bfloat16_t> ? clampBfloats
                                                : nullptr;
  if constexpr (std::is_same_v<D, half> && std::is_same_v<S, int32_t>) requireSet(Register::Scale, "Cast");
  execute(dst, src, sizeof(D), sizeof(S), mode, converters.data(), clamp, walk);
}

void setControl(uint32_t from, uint32_t bits, uint64_t value) {
  if (from > 63)
    trap({Check::ParameterRange, "SetCtrlSpr", text("the first bit is %u of 64", from), "count bits from 0"});
  uint64_t mask = (bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1) << from;
  core->control = (core->control & ~mask) | (value << from & mask);
  scalarCycles(1);
}

uint64_t control() { return core->control; }

namespace {

template <typename S, typename... D>
constexpr auto castsFrom(Types<D...>) {
  return std::make_tuple(&cast<D, S>...);
}

constexpr auto instantiated = asTuple(std::make_tuple(
    castsFrom<half>(Types<int8_t, uint8_t, int16_t, int32_t, float>{}),
    castsFrom<float>(Types<half, bfloat16_t, int16_t, int32_t, int64_t, float>{}),
    castsFrom<bfloat16_t>(Types<float, int32_t>{}), castsFrom<int8_t>(Types<half>{}), castsFrom<uint8_t>(Types<half>{}),
    castsFrom<int16_t>(Types<half, float>{}), castsFrom<int32_t>(Types<int16_t, half, float, int64_t>{}),
    castsFrom<int64_t>(Types<int32_t, float>{})));
const OffersOf<instantiated> offered;

}  // namespace
}  // namespace vec
}  // namespace npu_emu
