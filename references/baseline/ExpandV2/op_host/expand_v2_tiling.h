// Tiling data of ExpandV2: rows that move.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ExpandV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, moves);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, extents);  // of y, from the last axis on; what both have in common is one row
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, strides);  // rows of x, 0 where it is repeated
TILING_DATA_FIELD_DEF(uint32_t, axes);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ExpandV2, ExpandV2TilingData)
}  // namespace optiling
