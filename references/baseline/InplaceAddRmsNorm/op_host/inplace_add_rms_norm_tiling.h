// Tiling data of InplaceAddRmsNorm: that of all norms.
#pragma once

#include "norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(InplaceAddRmsNorm, NormTiling)
}  // namespace optiling
