// Tiling of the gradients of row_norm_grad.h.
#pragma once

#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(NormGradTiling)
TILING_DATA_FIELD_DEF_STRUCT(RowTiling, rows);
TILING_DATA_FIELD_DEF(float, reciprocal);  // 1 / columns
TILING_DATA_FIELD_DEF(float, factor);      // of the first term of x
TILING_DATA_FIELD_DEF(uint32_t, dsum);     // is there something to add to dx?
END_TILING_DATA_DEF;

struct NormGradNeeds {
  uint64_t inputs = 2;  // of the shape of x, without dsum
  uint64_t outputs = 1;
  uint64_t columnSums = 2;
  size_t gamma = 0;  // index of the input
  bool dsum = false;
};

// Input 0 is dy; all that has its shape has its type.
inline bool PlanNormGrad(gert::TilingContext* context, const NormGradNeeds& grad, float factor,
                         NormGradTiling& tiling) {
  const uint64_t total = SizeOf(context, 0);
  const uint64_t columns = SizeOf(context, grad.gamma);
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  if (columns == 0 || total == 0 || total % columns != 0 || bytes == 0) {
    return false;
  }
  RowNeeds needs;
  needs.rows = total / columns;
  needs.columns = columns;
  needs.inputBytes = (grad.inputs + (grad.dsum ? 1 : 0)) * bytes;
  needs.outputBytes = grad.outputs * bytes;
  needs.vectors = 1;
  needs.vectorBytes = BytesOf(TypeOf(context, grad.gamma));
  needs.works = 4;
  needs.kept = grad.dsum ? 0 : 2;  // dsum is read once more at the end
  needs.columnSums = grad.columnSums;
  needs.smallest = bytes;
  tiling.set_reciprocal(1.0f / static_cast<float>(columns));
  tiling.set_factor(factor);
  tiling.set_dsum(grad.dsum ? 1 : 0);
  return PlanRows(context, needs, tiling.rows);
}
}  // namespace optiling
