// Tiling data of AddSigmoidMulReduceSumD: rows of the last axis.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(AddSigmoidMulReduceSumDTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint64_t, sums);   // results of as many elements as a row has
TILING_DATA_FIELD_DEF(uint64_t, terms);  // rows of one sum
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(AddSigmoidMulReduceSumD, AddSigmoidMulReduceSumDTilingData)
}  // namespace optiling
