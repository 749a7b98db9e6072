// Tiling data of LayerNormV4: that of all norms.
#pragma once

#include "op_host/norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(LayerNormV4, NormTiling)
}  // namespace optiling
