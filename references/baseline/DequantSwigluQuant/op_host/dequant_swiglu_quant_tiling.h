// Tiling data of DequantSwigluQuant: a row is one half of the last axis.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(DequantSwigluQuantTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint32_t, groups);   // 0: all rows are one
TILING_DATA_FIELD_DEF(uint32_t, left);     // the activation applies to the first half
TILING_DATA_FIELD_DEF(uint32_t, dynamic);  // rows are scaled so that their largest magnitude becomes 127
TILING_DATA_FIELD_DEF(uint32_t, weighted);
TILING_DATA_FIELD_DEF(uint32_t, activated);
TILING_DATA_FIELD_DEF(uint32_t, biased);
TILING_DATA_FIELD_DEF(uint32_t, shifted);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(DequantSwigluQuant, DequantSwigluQuantTilingData)
}  // namespace optiling
