// Tiling data of GatherV3: rows that move.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GatherV3TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, moves);
TILING_DATA_FIELD_DEF(uint64_t, extent);   // of the axis
TILING_DATA_FIELD_DEF(uint64_t, indices);  // how many
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GatherV3, GatherV3TilingData)
}  // namespace optiling
