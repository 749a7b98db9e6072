// Tiling data of GroupNormSwishGrad: a row is one channel of one image.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GroupNormSwishGradTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(uint64_t, images);
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF(uint32_t, channels);  // of one group
TILING_DATA_FIELD_DEF(float, reciprocal);   // 1 / elements of a group
TILING_DATA_FIELD_DEF(float, scale);        // of the swish
TILING_DATA_FIELD_DEF(uint32_t, dgamma);    // is it asked for?
TILING_DATA_FIELD_DEF(uint32_t, dbeta);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GroupNormSwishGrad, GroupNormSwishGradTilingData)
}  // namespace optiling
