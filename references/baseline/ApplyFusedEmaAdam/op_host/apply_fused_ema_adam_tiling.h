// Tiling data of ApplyFusedEmaAdam: one long row.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ApplyFusedEmaAdamTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, lr);
TILING_DATA_FIELD_DEF(float, emaDecay);
TILING_DATA_FIELD_DEF(float, beta1);
TILING_DATA_FIELD_DEF(float, beta2);
TILING_DATA_FIELD_DEF(float, eps);
TILING_DATA_FIELD_DEF(float, weightDecay);
TILING_DATA_FIELD_DEF(uint32_t, decoupled);  // the decay goes past the moving averages
TILING_DATA_FIELD_DEF(uint32_t, corrects);   // the bias of the first steps
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ApplyFusedEmaAdam, ApplyFusedEmaAdamTilingData)
}  // namespace optiling
