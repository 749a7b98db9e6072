// Tiling data of AddRmsNorm: that of all norms.
#pragma once

#include "norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(AddRmsNorm, NormTiling)
}  // namespace optiling
