// Tiling data of Sasum: that of all reductions of vectors.
#pragma once

#include "op_host/strided_vector.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(Sasum, StridedVectorTiling)
}  // namespace optiling
