// Tiling data of MulSigmoidMulAddCustom: one long row.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MulSigmoidMulAddCustomTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MulSigmoidMulAddCustom, MulSigmoidMulAddCustomTilingData)
}  // namespace optiling
