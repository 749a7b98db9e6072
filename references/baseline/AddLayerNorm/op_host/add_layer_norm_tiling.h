// Tiling data of AddLayerNorm: that of all norms.
#pragma once

#include "norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(AddLayerNorm, NormTiling)
}  // namespace optiling
