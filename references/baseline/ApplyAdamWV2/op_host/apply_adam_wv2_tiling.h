// Tiling data of ApplyAdamWV2: one long row.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ApplyAdamWV2TilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, lr);
TILING_DATA_FIELD_DEF(float, beta1);
TILING_DATA_FIELD_DEF(float, beta2);
TILING_DATA_FIELD_DEF(float, weightDecay);
TILING_DATA_FIELD_DEF(float, eps);
TILING_DATA_FIELD_DEF(uint32_t, amsgrad);
TILING_DATA_FIELD_DEF(uint32_t, maximize);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ApplyAdamWV2, ApplyAdamWV2TilingData)
}  // namespace optiling
