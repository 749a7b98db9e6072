// Tiling data of MulSigmoid: rows of as many elements as x2 has.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MulSigmoidTilingData)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, t1);
TILING_DATA_FIELD_DEF(float, t2);
TILING_DATA_FIELD_DEF(float, t3);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MulSigmoid, MulSigmoidTilingData)
}  // namespace optiling
