// bfloat16 on the host, as fp16.h has float16.
#pragma once

#include "op_common/op_host/util/small_float.h"

namespace Ops {
namespace Base {

// api: Bfloat16Bits | - | - | inferred: what stands behind bfloat16
struct Bfloat16Bits {
  // To nearest, ties to even; a NaN stays one.
  static uint16_t Round(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
    return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
  static float Widen(uint16_t half) {
    const uint32_t bits = static_cast<uint32_t>(half) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
};

using bfloat16 = SmallFloat<Bfloat16Bits>;

}  // namespace Base
}  // namespace Ops
