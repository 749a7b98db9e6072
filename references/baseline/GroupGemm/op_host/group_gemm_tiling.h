// Tiling data of GroupGemm: c[g] = alpha[g] * a[g] * b[g] + beta[g] * c[g], in place, the matrices of all groups one
// behind the other.
#pragma once

#include "common/inc/op_host/block_plan.h"

constexpr uint32_t MAX_GROUPS = 128;

namespace optiling {
BEGIN_TILING_DATA_DEF(GroupGemmTilingData)
TILING_DATA_FIELD_DEF(uint32_t, groups);
TILING_DATA_FIELD_DEF_ARR(uint32_t, MAX_GROUPS, m);
TILING_DATA_FIELD_DEF_ARR(uint32_t, MAX_GROUPS, n);
TILING_DATA_FIELD_DEF_ARR(uint32_t, MAX_GROUPS, k);
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GroupGemm, GroupGemmTilingData)
}  // namespace optiling
