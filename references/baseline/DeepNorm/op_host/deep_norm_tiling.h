// Tiling data of DeepNorm: that of all norms.
#pragma once

#include "norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(DeepNorm, NormTiling)
}  // namespace optiling
