// Tiling data of InplaceFusedMatmulSoftmaxGrad: blocks of gradOutput[batch, m, k] * values[batch, n, k]^T.
#pragma once

#include "common/inc/op_host/block_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InplaceFusedMatmulSoftmaxGradTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF(uint32_t, m);
TILING_DATA_FIELD_DEF(uint32_t, n);
TILING_DATA_FIELD_DEF(uint32_t, k);
TILING_DATA_FIELD_DEF(uint32_t, blocksPerGroup);  // that the group with the most of them computes
TILING_DATA_FIELD_DEF_STRUCT(BlockPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(InplaceFusedMatmulSoftmaxGrad, InplaceFusedMatmulSoftmaxGradTilingData)
}  // namespace optiling
