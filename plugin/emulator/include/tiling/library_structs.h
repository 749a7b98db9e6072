// The tiling data of the library as classes: optiling::X beside the plain AscendC::tiling::X.
#pragma once

#include "ascendc/tiling_structs.h"
#include "register/tilingdata_base.h"

#define NPU_EMU_TILING_DATA(name) BEGIN_TILING_DATA_DEF(name)
#define NPU_EMU_TILING_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name)
#define NPU_EMU_TILING_END END_TILING_DATA_DEF

namespace optiling {
#include "ascendc/tiling_structs/matmul.h"
#include "ascendc/tiling_structs/normalization.h"
#include "ascendc/tiling_structs/rearrangement.h"
#include "ascendc/tiling_structs/softmax.h"
}  // namespace optiling

#undef NPU_EMU_TILING_DATA
#undef NPU_EMU_TILING_FIELD
#undef NPU_EMU_TILING_END
