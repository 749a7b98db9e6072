// Tiling data of NonFiniteCheckOp: that of all operators on lists of tensors.
#pragma once

#include "op_host/foreach.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(NonFiniteCheckOp, ForeachTilingData)
}  // namespace optiling
