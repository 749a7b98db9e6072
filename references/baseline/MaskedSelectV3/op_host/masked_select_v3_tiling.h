// Tiling data of MaskedSelectV3.
#pragma once

#include "op_host/row_moves.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MaskedSelectV3TilingData)
TILING_DATA_FIELD_DEF(uint64_t, length);
TILING_DATA_FIELD_DEF(uint64_t, lengthPerCore);  // the last core may have less
TILING_DATA_FIELD_DEF(uint32_t, tileLength);     // elements of one step
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MaskedSelectV3, MaskedSelectV3TilingData)
}  // namespace optiling
