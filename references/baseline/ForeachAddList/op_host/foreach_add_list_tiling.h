// Tiling data of ForeachAddList. Each core works on one contiguous stretch of the concatenated lists, given by the
// tensor and the element where it starts, and the tensor and the element where it ends (which is not included).
#pragma once

#include <cstdint>

#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t MAX_TENSORS = 50;
constexpr uint32_t MAX_CORES = 50;

BEGIN_TILING_DATA_DEF(ForeachAddListTilingData)
TILING_DATA_FIELD_DEF_ARR(int64_t, 50, tensorLength);  // elements of each tensor
TILING_DATA_FIELD_DEF_ARR(int64_t, 50, startOffset);
TILING_DATA_FIELD_DEF_ARR(int64_t, 50, endOffset);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 50, startTensor);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 50, endTensor);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);    // elements of one step of the pipeline
TILING_DATA_FIELD_DEF(uint32_t, bufferLength);  // elements one buffer holds
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ForeachAddList, ForeachAddListTilingData)
}  // namespace optiling
