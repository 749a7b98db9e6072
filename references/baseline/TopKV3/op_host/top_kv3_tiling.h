// Tiling data of TopKV3: lines of `length` elements, `inner` of them side by side, `outer` times one behind the other.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TopKV3TilingData)
TILING_DATA_FIELD_DEF(uint32_t, outer);
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF(uint32_t, inner);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, largest);
// Lines that fit are sorted together: `lists` sorted lists of `listLength` each become one line of the result.
TILING_DATA_FIELD_DEF(uint32_t, listLength);
TILING_DATA_FIELD_DEF(uint32_t, lists);
TILING_DATA_FIELD_DEF(uint32_t, linesAtOnce);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(TopKV3, TopKV3TilingData)
}  // namespace optiling
