// Tiling data of ScatterList. Every tensor of the list is [outer, axisLength, inner], updates is
// [tensors, outer, updateLength, inner]; a row is one (tensor, outer) pair, a unit one piece of a row.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScatterListTilingData)
TILING_DATA_FIELD_DEF(uint64_t, outer);
TILING_DATA_FIELD_DEF(uint64_t, axisLength);
TILING_DATA_FIELD_DEF(uint64_t, updateLength);
TILING_DATA_FIELD_DEF(uint64_t, inner);
TILING_DATA_FIELD_DEF(uint64_t, unitsPerCore);  // of the cores after the first `largerCores`, which take one unit more
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, pieces);      // of each row: 1 where every core gets several rows
TILING_DATA_FIELD_DEF(uint32_t, joinsRows);   // 1: one copy may take several rows
TILING_DATA_FIELD_DEF(uint32_t, hasLengths);  // 1: indice holds (start, length) pairs, 0: starts
TILING_DATA_FIELD_DEF(uint32_t, hasMask);
TILING_DATA_FIELD_DEF(uint32_t, bufferBytes);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(ScatterList, ScatterListTilingData)
}  // namespace optiling
