// The vector mask register. It keeps its value until the next call that sets it.
#pragma once

#include "runtime_api.h"

namespace AscendC {

// The mode of the core stays as SetMaskCount or SetMaskNorm left it; `mode` only says how `len` is meant.
// api: SetVectorMask | S | every type | documented
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(const uint64_t maskHigh, const uint64_t maskLow) {
  npu_emu::vec::setMask(maskHigh, maskLow);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t len) {
  uint64_t mask[2] = {static_cast<uint64_t>(len), 0};
  if (mode == MaskMode::NORMAL) npu_emu::maskOfLanes(static_cast<uint64_t>(len), mask);
  npu_emu::vec::setMask(mask[1], mask[0]);
}
// api: SetMaskCount, SetMaskNorm, ResetMask | S | - | documented
inline void SetMaskCount() { npu_emu::vec::setMaskCounter(true); }
inline void SetMaskNorm() { npu_emu::vec::setMaskCounter(false); }
inline void ResetMask() { npu_emu::vec::setMask(~uint64_t(0), ~uint64_t(0)); }

}  // namespace AscendC
