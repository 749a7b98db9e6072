// Tiling data of MseLossGradV2: one long row.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MseLossGradV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, factor);  // 2, divided by the number of elements for the mean
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MseLossGradV2, MseLossGradV2TilingData)
}  // namespace optiling
