// Tiling data of SplitkMatmul: c = a * b, K shared among cores where that pays.
#pragma once

#include "common/inc/op_host/whole_product.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SplitkMatmulTilingData)
TILING_DATA_FIELD_DEF_STRUCT(WholeProduct, product);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SplitkMatmul, SplitkMatmulTilingData)
}  // namespace optiling
