#pragma once

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InstructionBenchTilingData)
TILING_DATA_FIELD_DEF(int32_t, executions);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(InstructionBench, InstructionBenchTilingData)
}  // namespace optiling
