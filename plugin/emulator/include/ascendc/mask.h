// The vector mask register and the control register. Both keep their value until the next call that sets it.
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

// api: SetCtrlSpr, GetCtrlSpr | S | - | documented: bit 48, no other on this device
template <int8_t startBit, int8_t endBit>
inline void SetCtrlSpr(int64_t value) {
  static_assert(startBit == 48 && endBit == 48, "SetCtrlSpr takes bit 48 and no other on Atlas A2");
  npu_emu::vec::setControl(startBit, 1, static_cast<uint64_t>(value));
}
template <int8_t startBit, int8_t endBit>
inline int64_t GetCtrlSpr() {
  static_assert(startBit == 48 && endBit == 48, "GetCtrlSpr takes bit 48 and no other on Atlas A2");
  return static_cast<int64_t>(npu_emu::vec::control() >> startBit & 1);
}

// api: SetSaturationFlag, GetSaturationFlag | S | FLOAT: half bfloat16_t int16_t int32_t; CAST: to integers |
//   documented
template <SaturationMode mode>
inline void SetSaturationFlag(bool enableSat) {
  static_assert(mode == SaturationMode::FLOAT || mode == SaturationMode::CAST,
                "only SaturationMode::FLOAT and CAST exist on Atlas A2");
  npu_emu::vec::setControl(mode == SaturationMode::FLOAT ? 48 : 59, 1, enableSat ? 0 : 1);
}
template <SaturationMode mode>
inline bool GetSaturationFlag() {
  static_assert(mode == SaturationMode::FLOAT || mode == SaturationMode::CAST,
                "only SaturationMode::FLOAT and CAST exist on Atlas A2");
  return (npu_emu::vec::control() >> (mode == SaturationMode::FLOAT ? 48 : 59) & 1) == 0;
}

}  // namespace AscendC
