// Tiling data of Triu: `matrixRows` x `matrixColumns` matrices one behind the other; element (i, j) stays where
// j >= i + diagonal.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TriuTilingData)
TILING_DATA_FIELD_DEF(uint64_t, totalLength);  // elements of all matrices
TILING_DATA_FIELD_DEF(uint64_t, matrixRows);
TILING_DATA_FIELD_DEF(uint64_t, matrixColumns);
TILING_DATA_FIELD_DEF(int64_t, diagonal);       // within -matrixRows .. matrixColumns
TILING_DATA_FIELD_DEF(uint64_t, unitsPerCore);  // key 2: cores before `largerCores` take one more
TILING_DATA_FIELD_DEF(uint64_t, unitLength);    // key 2: elements; whole matrices where a core gets several
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, segmentsPerRow);  // key 1
TILING_DATA_FIELD_DEF(uint32_t, tileLength);      // elements of one step; key 1: of one segment
TILING_DATA_FIELD_DEF(uint32_t, bufferLength);    // elements one buffer holds
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Triu, TriuTilingData)
}  // namespace optiling
