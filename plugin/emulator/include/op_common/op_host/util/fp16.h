// float16 on the host: the bits of an attribute or of a constant input, and arithmetic rounded after every operation.
#pragma once

#include "op_common/op_host/util/small_float.h"

namespace Ops {
namespace Base {

// api: HalfBits | - | - | inferred: what stands behind fp16_t
struct HalfBits {
  static uint16_t Round(float value) {
    const _Float16 half = static_cast<_Float16>(value);
    uint16_t bits;
    std::memcpy(&bits, &half, sizeof bits);
    return bits;
  }
  static float Widen(uint16_t bits) {
    _Float16 half;
    std::memcpy(&half, &bits, sizeof half);
    return static_cast<float>(half);
  }
};

using fp16_t = SmallFloat<HalfBits>;

}  // namespace Base
}  // namespace Ops
