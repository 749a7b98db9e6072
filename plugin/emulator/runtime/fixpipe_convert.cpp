#include "fixpipe_convert.h"

#include <cmath>

#include "numerics.h"
#include "saturation.h"

namespace npu_emu::cube {

namespace {

// Fields of a quantisation parameter.
struct Quantisation {
  float scale;  // the device keeps 10 bits of the mantissa
  uint32_t shift;
  bool shifts, isSigned;
  int32_t offset;

  explicit Quantisation(uint64_t bits) {
    uint32_t kept = static_cast<uint32_t>(bits) & 0xffffe000u;
    std::memcpy(&scale, &kept, sizeof scale);
    shift = static_cast<uint32_t>(bits >> 32 & 15) + 1;
    shifts = (bits >> 36 & 1) != 0;
    offset = static_cast<int32_t>(bits >> 37 & 511);
    if (offset >= 256) offset -= 512;
    isSigned = (bits >> 46 & 1) != 0;
  }
};

bool fits(QuantMode_t mode, Element from, Element to) {
  bool bytes = to == Element::Int8 || to == Element::UInt8, floats = from == Element::Float;
  switch (mode) {
    case NoQuant: return from == to;
    case F322F16: return floats && to == Element::Half;
    case F322BF16: return floats && to == Element::Bf16;
    case DEQF16:
    case VDEQF16: return !floats && to == Element::Half;
    case QF322B8_PRE:
    case VQF322B8_PRE: return floats && bytes;
    default: return !floats && bytes;
  }
}

float scaled(float value, const Quantisation& by, bool relu) {
  if (value < 0) return relu ? 0.0f : value * by.scale;
  return value * by.scale;
}

// To 8 bits: rounded, cut to 9 bits, moved by the offset, cut again.
uint8_t toByte(float value, const Quantisation& by) {
  float rounded = std::rint(value);
  int32_t wide = rounded >= 255.0f    ? 255
                 : rounded > -256.0f  ? static_cast<int32_t>(rounded)
                 : rounded <= -256.0f ? -256
                                      : 0;
  wide += by.offset;
  int32_t low = by.isSigned ? -128 : 0, high = by.isSigned ? 127 : 255;
  return static_cast<uint8_t>(std::min(std::max(wide, low), high));
}

}  // namespace

bool takesScale(QuantMode_t mode) { return mode == DEQF16 || mode == QF322B8_PRE || mode == REQ8; }

bool takesScales(QuantMode_t mode) { return mode == VDEQF16 || mode == VQF322B8_PRE || mode == VREQ8; }

OutputConversion withScales(OutputConversion conversion, QuantMode_t mode) {
  if (takesScales(mode) && conversion.scales == nullptr && core->cube.scales.address != nullptr)
    conversion.scales = &core->cube.scales;
  return conversion;
}

void requireMode(const char* name, const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  if (!fits(p.quantPre, conversion.from, conversion.to)) {
    trap({Check::FixpipeQuant, name, text("quantPre %d does not fit the types of L0C and of the output", p.quantPre),
          "from float: F322F16 for half, F322BF16 for bfloat16_t, QF322B8_PRE for 8 bits; from int32_t: DEQF16 for "
          "half, REQ8 for 8 bits; NoQuant for the type of L0C"});
  }
  if (takesScales(p.quantPre) != (conversion.scales != nullptr)) {
    trap({Check::FixpipeQuant, name,
          text("quantPre %d %s a tensor of parameters", p.quantPre,
               conversion.scales != nullptr ? "does not take" : "takes"),
          "modes that begin with V take one parameter for each column, as an argument or from SetFixPipeConfig"});
  }
}

void convertLanes(uint8_t* out, const uint8_t* in, uint32_t n, const uint64_t* scales,
                  const AscendC::FixpipeParamsV220& p, const OutputConversion& conversion) {
  if (p.quantPre == NoQuant && conversion.from == Element::Int32) {
    for (uint32_t i = 0; i < n; ++i) {
      int32_t value;
      std::memcpy(&value, in + i * 4, sizeof value);
      if (p.reluEn && value < 0) value = 0;
      std::memcpy(out + i * 4, &value, sizeof value);
    }
    return;
  }
  float values[16];
  for (uint32_t i = 0; i < n; ++i) {
    if (conversion.from == Element::Float) {
      std::memcpy(&values[i], in + i * 4, sizeof(float));
      continue;
    }
    int32_t value;
    std::memcpy(&value, in + i * 4, sizeof value);
    values[i] = static_cast<float>(value);
  }
  if (p.quantPre <= F322BF16) {
    if (p.reluEn)
      for (uint32_t i = 0; i < n; ++i) values[i] = values[i] < 0 ? 0.0f : values[i];
  } else {
    for (uint32_t i = 0; i < n; ++i) {
      const Quantisation by(scales != nullptr ? scales[i] : p.deqScalar);
      if (by.shifts && conversion.from == Element::Int32) {
        int32_t value;
        std::memcpy(&value, in + i * 4, sizeof value);
        values[i] = static_cast<float>(std::min(std::max(value >> by.shift, -32768), 32767));
      }
      values[i] = scaled(values[i], by, p.reluEn);
      if (bytesOf(conversion.to) == 1) out[i] = toByte(values[i], by);
    }
    if (bytesOf(conversion.to) == 1) return;
  }
  if (conversion.to == Element::Half) {
    narrow(reinterpret_cast<half*>(out), values, n);
    if (saturatesResults()) clampHalves(out, n);
  } else if (conversion.to == Element::Bf16) {
    narrow(reinterpret_cast<bfloat16_t*>(out), values, n);
    if (saturatesResults()) clampBfloats(out, n);
  } else {
    std::memcpy(out, values, n * sizeof(float));
  }
}

}  // namespace npu_emu::cube
