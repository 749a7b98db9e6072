// Tiling data of Equal. Lengths are in elements; a unit is 512 bytes of x1.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(EqualTilingData)
TILING_DATA_FIELD_DEF(uint64_t, totalLength);
TILING_DATA_FIELD_DEF(uint64_t, unitsPerCore);  // of the cores after the first `largerCores`, which take one unit more
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, unitLength);
TILING_DATA_FIELD_DEF(uint32_t, tileLength);    // one step of the pipeline
TILING_DATA_FIELD_DEF(uint32_t, bufferLength);  // what one buffer holds: the unified buffer divided among all of them
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Equal, EqualTilingData)
}  // namespace optiling
