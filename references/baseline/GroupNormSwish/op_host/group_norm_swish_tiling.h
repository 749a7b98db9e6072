// Tiling data of GroupNormSwish: a row is a group of channels of one image.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GroupNormSwishTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint64_t, spatial);  // elements of one channel
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, channels);  // of one group
TILING_DATA_FIELD_DEF(float, reciprocal);   // 1 / elements of a group
TILING_DATA_FIELD_DEF(float, epsilon);
TILING_DATA_FIELD_DEF(float, scale);      // of the swish
TILING_DATA_FIELD_DEF(uint32_t, active);  // is there one?
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GroupNormSwish, GroupNormSwishTilingData)
}  // namespace optiling
