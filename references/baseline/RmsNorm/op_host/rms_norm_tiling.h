// Tiling data of RmsNorm: `rows` rows of `columns` elements.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RmsNormTilingData)
TILING_DATA_FIELD_DEF(uint64_t, rowsPerCore);  // of the cores after the first `largerCores`, which take one row more
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, rowsPerTile);  // key 1: rows of one step
TILING_DATA_FIELD_DEF(uint32_t, bufferRows);   // key 1: rows one buffer holds
TILING_DATA_FIELD_DEF(uint32_t, tileColumns);  // key 2: columns of one step and of one buffer
TILING_DATA_FIELD_DEF(float, reciprocal);      // 1 / columns
TILING_DATA_FIELD_DEF(float, epsilon);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RmsNorm, RmsNormTilingData)
}  // namespace optiling
