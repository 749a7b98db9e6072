// Tiling data of MatmulAdd: d = a * b + c.
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MatmulAddTilingData)
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MatmulAdd, MatmulAddTilingData)
}  // namespace optiling
