// Tiling data of PaddingMatmul: c = a * b, rows padded to full bursts first where that pays.
#pragma once

#include "common/inc/op_host/whole_product.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(PaddingMatmulTilingData)
TILING_DATA_FIELD_DEF_STRUCT(WholeProduct, product);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(PaddingMatmul, PaddingMatmulTilingData)
}  // namespace optiling
