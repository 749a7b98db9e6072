// Tiling data of RmsNormGrad: that of the gradients of norms.
#pragma once

#include "op_host/norm_grad_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(RmsNormGrad, NormGradTiling)
}  // namespace optiling
