// Tiling data of CoalesceSparse: entries go to rows.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CoalesceSparseTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, indices);
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, values);
TILING_DATA_FIELD_DEF(uint64_t, entries);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CoalesceSparse, CoalesceSparseTilingData)
}  // namespace optiling
