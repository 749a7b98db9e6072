// Tiling data of ReverseSequence: rows that move.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ReverseSequenceTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowMovesTiling, moves);
TILING_DATA_FIELD_DEF(uint64_t, inner);       // rows from one position of the axis to the next
TILING_DATA_FIELD_DEF(uint64_t, extent);      // of the axis
TILING_DATA_FIELD_DEF(uint64_t, batchInner);  // the same of the batch
TILING_DATA_FIELD_DEF(uint64_t, batch);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ReverseSequence, ReverseSequenceTilingData)
}  // namespace optiling
