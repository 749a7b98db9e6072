// Tiling data of MseLoss: one long row.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MseLossTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, factor);  // of the sum
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MseLoss, MseLossTilingData)
}  // namespace optiling
