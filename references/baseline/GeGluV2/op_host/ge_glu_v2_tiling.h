// Tiling data of GeGluV2: a row is one half of the axis, and all behind it.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GeGluV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint32_t, exact);  // with the error function, not tanh
TILING_DATA_FIELD_DEF(uint32_t, left);   // GELU applies to the first half
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GeGluV2, GeGluV2TilingData)
}  // namespace optiling
