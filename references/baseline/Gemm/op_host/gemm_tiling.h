// Tiling data of Gemm: c = alpha * a * b + beta * c, in place.
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GemmTilingData)
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(float, alpha);
TILING_DATA_FIELD_DEF(float, beta);
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Gemm, GemmTilingData)
}  // namespace optiling
