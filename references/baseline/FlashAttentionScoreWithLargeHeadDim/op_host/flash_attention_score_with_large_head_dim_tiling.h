// Tiling data of FlashAttentionScoreWithLargeHeadDim: query, key and value are [batches, length, heads * depth].
#pragma once

#include "common/inc/op_host/attention_plan.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(FlashAttentionScoreTilingData)
TILING_DATA_FIELD_DEF(uint32_t, batches);
TILING_DATA_FIELD_DEF(uint32_t, queries);  // of one batch
TILING_DATA_FIELD_DEF(uint32_t, keys);
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, depth);
TILING_DATA_FIELD_DEF_STRUCT(AttentionPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(FlashAttentionScoreWithLargeHeadDim, FlashAttentionScoreTilingData)
}  // namespace optiling
