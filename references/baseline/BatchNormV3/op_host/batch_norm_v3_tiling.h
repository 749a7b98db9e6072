// Tiling data of BatchNormV3: a row is one channel of one image.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BatchNormV3TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint64_t, channels);
TILING_DATA_FIELD_DEF(uint64_t, spatial);  // elements of one channel of one image
TILING_DATA_FIELD_DEF(float, reciprocal);  // 1 / elements of a channel
TILING_DATA_FIELD_DEF(float, epsilon);
TILING_DATA_FIELD_DEF(float, momentum);
TILING_DATA_FIELD_DEF(uint32_t, training);
TILING_DATA_FIELD_DEF(uint32_t, weighted);
TILING_DATA_FIELD_DEF(uint32_t, biased);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(BatchNormV3, BatchNormV3TilingData)
}  // namespace optiling
