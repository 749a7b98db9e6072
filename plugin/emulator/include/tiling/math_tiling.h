// Temporary memory of the mathematical functions on Atlas A2, in bytes: the least that each works with, and what spares
// it all further passes. The factors are for kernels that divide UB between source and temporary memory themselves.
#pragma once

#include "tiling/function_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// api: GetAcosMaxMinTmpSize, GetAcosTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetAcosMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Acos, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetAcosTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Acos, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetAcoshMaxMinTmpSize, GetAcoshTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says, more
//   than it uses
inline void GetAcoshMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                  uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Acosh, srcShape, typeSize, isReuseSource, maxValue, minValue);
  if (maxValue < 256 * typeSize) maxValue = 256 * typeSize;
}
inline void GetAcoshTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Acosh, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetAsinMaxMinTmpSize, GetAsinTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetAsinMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Asin, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetAsinTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Asin, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetAsinhMaxMinTmpSize, GetAsinhTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetAsinhMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Asinh, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetAsinhTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Asinh, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetAtanMaxMinTmpSize, GetAtanTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetAtanMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Atan, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetAtanTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Atan, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetAtanhMaxMinTmpSize, GetAtanhTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetAtanhMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Atanh, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetAtanhTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Atanh, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetAxpyMaxMinTmpSize, GetAxpyTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetAxpyMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Axpy, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetAxpyTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  maxLiveNodeCount = typeSize == sizeof(float) ? 1 : 4;
  extraBuffer = 0;
}

// api: GetCeilMaxMinTmpSize, GetCeilTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetCeilMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Ceil, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetCeilTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Ceil, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetClampMaxMinTmpSize, GetClampTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetClampMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::ClampMax, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetClampTmpBufferFactorSize(const uint32_t, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  maxLiveNodeCount = 1;
  extraBuffer = 0;
}

// api: GetCosMaxMinTmpSize, GetCosTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetCosMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Cos, srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetCosTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Cos, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetCoshMaxMinTmpSize, GetCoshTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetCoshMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Cosh, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetCoshTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Cosh, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetDigammaMaxMinTmpSize, GetDigammaTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetDigammaMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                    uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Digamma, srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetDigammaTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Digamma, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetErfMaxMinTmpSize, GetErfTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetErfMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Erf, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetErfTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Erf, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetErfcMaxMinTmpSize, GetErfcTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetErfcMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Erfc, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetErfcTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Erfc, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetExpMaxMinTmpSize, GetExpTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue) {
  return npu_emu_detail::tellSizes(npu_emu::Function::Exp, srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetExpTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Exp, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetFloorMaxMinTmpSize, GetFloorTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetFloorMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Floor, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetFloorTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Floor, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetFmodMaxMinTmpSize, GetFmodTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetFmodMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Fmod, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetFmodTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Fmod, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetFracMaxMinTmpSize, GetFracTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetFracMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Frac, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetFracTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Frac, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetLgammaMaxMinTmpSize, GetLgammaTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says; for
//   half the factor is half of what the largest size says
inline void GetLgammaMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                   uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Lgamma, srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetLgammaTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  maxLiveNodeCount = typeSize == sizeof(float) ? 8 : 13;
  extraBuffer = 0;
}

// api: GetLogMaxMinTmpSize, GetLogTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetLogMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Log, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetLogTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Log, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetLog2MaxMinTmpSize, GetLog2TmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetLog2MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Log2, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetLog2TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Log2, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetLog10MaxMinTmpSize, GetLog10TmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetLog10MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Log10, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetLog10TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Log10, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetPowerMaxMinTmpSize, GetPowerTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says; a shape
//   of one element stands for a scalar
inline void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2, const bool typeIsInt,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
  auto isScalar = [](const ge::Shape& shape) { return shape.GetDimNum() == 1 && shape.GetDim(0) == 1; };
  const bool hasScalar = isScalar(srcShape1) || isScalar(srcShape2);
  const npu_emu::TemporaryArea area = npu_emu::temporaryArea(
      hasScalar ? npu_emu::Function::PowerOfTensor : npu_emu::Function::PowerTensors, typeSize, false, typeIsInt);
  minValue = area.minimum();
  maxValue = area.maximum(static_cast<uint32_t>((isScalar(srcShape1) ? srcShape2 : srcShape1).GetShapeSize()));
}
inline void GetPowerTmpBufferFactorSize(const bool baseIsTensor, const bool expIsTensor, const bool typeIsInt,
                                        const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  const npu_emu::TemporaryArea area = npu_emu::temporaryArea(
      baseIsTensor && expIsTensor ? npu_emu::Function::PowerTensors : npu_emu::Function::PowerOfTensor, typeSize, false,
      typeIsInt);
  maxLiveNodeCount = area.tensors * area.elementBytes / typeSize;
  extraBuffer = area.extra;
}

// api: GetRoundMaxMinTmpSize, GetRoundTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                                  const uint32_t typeSize, const bool, uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Round, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC&, const uint32_t typeSize,
                                        uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Round, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetSignMaxMinTmpSize, GetSignTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetSignMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Sign, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetSignTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Sign, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetSinMaxMinTmpSize, GetSinTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetSinMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Sin, srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetSinTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Sin, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetSinhMaxMinTmpSize, GetSinhTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetSinhMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Sinh, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetSinhTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Sinh, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetTanMaxMinTmpSize, GetTanTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetTanMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Tan, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetTanTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Tan, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetTanhMaxMinTmpSize, GetTanhTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetTanhMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                 uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Tanh, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetTanhTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Tanh, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetTruncMaxMinTmpSize, GetTruncTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetTruncMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                  uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Trunc, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetTruncTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Trunc, typeSize, maxLiveNodeCount, extraBuffer);
}

// api: GetXorMaxMinTmpSize, GetXorTmpBufferFactorSize | - | - | inferred: as the library of Atlas A2 says
inline void GetXorMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, uint32_t& maxValue,
                                uint32_t& minValue) {
  npu_emu_detail::tellSizes(npu_emu::Function::Xor, srcShape, typeSize, false, maxValue, minValue);
}
inline void GetXorTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  npu_emu_detail::tellFactor(npu_emu::Function::Xor, typeSize, maxLiveNodeCount, extraBuffer);
}

}  // namespace AscendC
