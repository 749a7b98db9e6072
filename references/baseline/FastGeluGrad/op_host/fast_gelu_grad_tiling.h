// Tiling data of FastGeluGrad: one long row.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FastGeluGradTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(FastGeluGrad, FastGeluGradTilingData)
}  // namespace optiling
