// Tiling data of StridedSliceAssignV2: rows that move.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(StridedSliceAssignV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, moves);
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, extents);  // of the slice, from the last axis on; what lies together is one row
TILING_DATA_FIELD_DEF_ARR(int64_t, 8, strides);  // bytes of var from one position to the next
TILING_DATA_FIELD_DEF(uint64_t, start);          // byte of var where the slice starts
TILING_DATA_FIELD_DEF(uint32_t, axes);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(StridedSliceAssignV2, StridedSliceAssignV2TilingData)
}  // namespace optiling
