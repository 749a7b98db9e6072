// Tiling data of ComplexMatDot: one long row of real and imaginary parts.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ComplexMatDotTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ComplexMatDot, ComplexMatDotTilingData)
}  // namespace optiling
