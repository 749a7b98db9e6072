// Tiling data of CrossEntropyLoss: rows of classes.
#pragma once

#include "op_host/row_tiling.h"
#include "op_host/sample_weights.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CrossEntropyLossTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(int64_t, ignored);  // class that does not count
TILING_DATA_FIELD_DEF(float, smoothing);
TILING_DATA_FIELD_DEF(uint32_t, weighted);
TILING_DATA_FIELD_DEF(uint32_t, localWeights);  // weights that every core copies: all or none
TILING_DATA_FIELD_DEF(uint32_t, reduction);     // 0: none, 1: mean, 2: sum
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CrossEntropyLoss, CrossEntropyLossTilingData)
}  // namespace optiling
