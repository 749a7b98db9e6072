// Tiling data of GeGluGradV2: a row is one half of the axis, and all behind it.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GeGluGradV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint32_t, exact);  // with the error function, not tanh
TILING_DATA_FIELD_DEF(uint32_t, left);   // GELU applied to the first half
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GeGluGradV2, GeGluGradV2TilingData)
}  // namespace optiling
