// Tiling data of BasicMatmul: c[m, n] = a[m, k] * b[k, n], computed in blocks of baseM x baseN.
#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BasicMatmulTilingData)
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, baseM);
TILING_DATA_FIELD_DEF(uint32_t, baseN);
TILING_DATA_FIELD_DEF(uint32_t, baseK);       // depth of one step in L0A and L0B
TILING_DATA_FIELD_DEF(uint32_t, tileK);       // depth of one step in L1, a multiple of baseK
TILING_DATA_FIELD_DEF(uint32_t, l0cBuffers);  // 2: a block is written out while the next one is computed
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(BasicMatmul, BasicMatmulTilingData)
}  // namespace optiling
