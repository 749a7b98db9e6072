// Tiling data of MulMulReduceMeanDTwice: that of all norms.
#pragma once

#include "op_host/norm_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(MulMulReduceMeanDTwice, NormTiling)
}  // namespace optiling
