// Temporary memory of the element-wise activation functions on Atlas A2, in bytes: the least that each works with, and
// what spares it all further passes.
#pragma once

#include "tiling/function_tiling.h"

namespace AscendC {

// api: GetGeGLUMaxMinTmpSize, GetGeGLUTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetGeGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::GeGLU, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetGeGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::GeGLU, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetGeluMaxMinTmpSize, GetGeluMaxTmpSize, GetGeluMinTmpSize | - | - | inferred: as the library of Atlas A2 says;
//   also for FasterGelu and FasterGeluV2
inline void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Gelu, srcShape, typeSize, false, maxValue, minValue);
}
inline uint32_t GetGeluMaxTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
  uint32_t maxValue = 0, minValue = 0;
  GetGeluMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
  return maxValue;
}
inline uint32_t GetGeluMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize) {
  uint32_t maxValue = 0, minValue = 0;
  GetGeluMaxMinTmpSize(srcShape, typeSize, maxValue, minValue);
  return minValue;
}

// api: GetReGluMaxMinTmpSize | - | - | inferred: as the library of Atlas A2 says
inline void GetReGluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::ReGlu, srcShape, typeSize, false, maxValue, minValue);
}

// api: GetSigmoidMaxMinTmpSize | - | - | inferred: as the library of Atlas A2 says
inline void GetSigmoidMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                    uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Sigmoid, srcShape, typeSize, false, maxValue, minValue);
}

// api: GetSiluTmpSize | - | - | inferred: as the library of Atlas A2 says; none is needed
inline void GetSiluTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                           uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Silu, srcShape, typeSize, false, maxValue, minValue);
}

// api: GetSwiGLUMaxMinTmpSize, GetSwiGLUTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool) {
  npu_emu_detail::tellSizes(npu_emu::Function::SwiGLU, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetSwiGLUTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::SwiGLU, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetSwishTmpSize | - | - | inferred: as the library of Atlas A2 says; none is needed
inline void GetSwishTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                            uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Swish, srcShape, typeSize, false, maxValue, minValue);
}

}  // namespace AscendC
