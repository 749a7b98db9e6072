// Tiling data of OptimizedMatmul: c = a * b, with padded rows and a shared K where that pays.
#pragma once

#include "common/inc/op_host/whole_product.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(OptimizedMatmulTilingData)
TILING_DATA_FIELD_DEF_STRUCT(WholeProduct, product);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(OptimizedMatmul, OptimizedMatmulTilingData)
}  // namespace optiling
