// Tiling data of BatchedMatmul: c[batch, m, n] = a[batch, m, k] * b[batch, k, n].
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(BatchedMatmulTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(BatchedMatmul, BatchedMatmulTilingData)
}  // namespace optiling
