// Tiling data of PreLayerNorm: that of all norms.
#pragma once

#include "norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(PreLayerNorm, NormTiling)
}  // namespace optiling
