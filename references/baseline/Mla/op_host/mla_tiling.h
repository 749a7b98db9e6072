// Tiling data of Mla: queries [tokens, heads, 512 and 64] see keys in blocks of 128 tokens, which a table lists for
// each
// sequence.
#pragma once

#include "common/inc/op_host/attention_plan.h"

constexpr uint32_t MOST_SEQUENCES = 256;

namespace optiling {
BEGIN_TILING_DATA_DEF(MlaTilingData)
TILING_DATA_FIELD_DEF(uint32_t, sequences);
TILING_DATA_FIELD_DEF(uint32_t, heads);
TILING_DATA_FIELD_DEF(uint32_t, keyHeads);
TILING_DATA_FIELD_DEF(uint32_t, tableColumns);
TILING_DATA_FIELD_DEF(uint32_t, tiles);
TILING_DATA_FIELD_DEF_ARR(uint32_t, 256, queries);  // tokens of each sequence
TILING_DATA_FIELD_DEF_ARR(uint32_t, 256, keys);
TILING_DATA_FIELD_DEF_STRUCT(AttentionPlan, plan);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Mla, MlaTilingData)
}  // namespace optiling
