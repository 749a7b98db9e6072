// Tiling data of AddLayerNormGrad: that of the gradients of norms.
#pragma once

#include "norm_grad_tiling.h"

namespace optiling {
REGISTER_TILING_DATA_CLASS(AddLayerNormGrad, NormGradTiling)
}  // namespace optiling
