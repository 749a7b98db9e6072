// Tiling data of StridesliceNegConcatV2: rows of the last axis.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(StridesliceNegConcatV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(StridesliceNegConcatV2, StridesliceNegConcatV2TilingData)
}  // namespace optiling
