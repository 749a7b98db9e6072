// Tiling data of FeedsRepeat: rows that move.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FeedsRepeatTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, moves);
TILING_DATA_FIELD_DEF(uint64_t, feeds);  // rows of the input
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(FeedsRepeat, FeedsRepeatTilingData)
}  // namespace optiling
