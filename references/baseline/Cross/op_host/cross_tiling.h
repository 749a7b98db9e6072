// Tiling data of Cross: a row is one component of a vector, and all behind it.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CrossTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Cross, CrossTilingData)
}  // namespace optiling
