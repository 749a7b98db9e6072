// What the host functions about temporary memory have in common: they read the table that the device asks for memory
// by.
#pragma once

#include "ascendc/library_sizes.h"
#include "graph/shape.h"

namespace AscendC {

namespace npu_emu_detail {

inline bool tellSizes(npu_emu::Function function, const ge::Shape& shape, uint32_t typeSize, bool reusesSource,
                      uint32_t& maxValue, uint32_t& minValue) {
  const npu_emu::TemporaryArea area = npu_emu::temporaryArea(function, typeSize, reusesSource);
  minValue = area.minimum();
  maxValue = area.maximum(static_cast<uint32_t>(shape.GetShapeSize()));
  return true;
}

// Bytes of temporary memory for each byte of the source.
inline void tellFactor(npu_emu::Function function, uint32_t typeSize, uint32_t& maxLiveNodeCount,
                       uint32_t& extraBuffer) {
  const npu_emu::TemporaryArea area = npu_emu::temporaryArea(function, typeSize);
  maxLiveNodeCount = area.tensors * area.elementBytes / typeSize;
  extraBuffer = area.extra;
}

}  // namespace npu_emu_detail

}  // namespace AscendC
