// Tiling data of GeluQuant: rows of the last axis.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GeluQuantTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint32_t, exact);    // with the error function, not tanh
TILING_DATA_FIELD_DEF(uint32_t, scales);   // 0: none, 1: one number, 2: one for each column
TILING_DATA_FIELD_DEF(uint32_t, offsets);  // likewise
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GeluQuant, GeluQuantTilingData)
}  // namespace optiling
