// Tiling data of Isamax: that of all reductions of vectors.
#pragma once

#include "op_host/strided_vector.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Isamax, StridedVectorTiling)
}  // namespace optiling
