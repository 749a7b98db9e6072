// Operators that take the two halves of an axis apart.
#pragma once

#include "exe_graph/runtime/infer_shape_context.h"
#include "register/op_def_registry.h"

namespace optiling {
// x seen as [rows, 2, columns], the halves of the axis beside one another; false where they are not halves.
inline bool Halves(const gert::Shape& x, int64_t axis, uint64_t& rows, uint64_t& columns) {
  const int64_t rank = static_cast<int64_t>(x.GetDimNum());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank || x.GetDim(at) % 2 != 0) {
    return false;
  }
  rows = 1;
  columns = static_cast<uint64_t>(x.GetDim(at)) / 2;
  for (int64_t i = 0; i < rank; ++i) {
    (i < at ? rows : columns) *= i == at ? 1 : static_cast<uint64_t>(x.GetDim(i));
  }
  return rows * columns > 0;
}
}  // namespace optiling

namespace ge {
// Output `output` has the shape of input 0 without the second half of the axis.
inline graphStatus HalvedShape(gert::InferShapeContext* context, int64_t axis, size_t output) {
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* y = context->GetOutputShape(output);
  if (x == nullptr || y == nullptr) {
    return GRAPH_FAILED;
  }
  const int64_t rank = static_cast<int64_t>(x->GetDimNum());
  const int64_t at = axis < 0 ? axis + rank : axis;
  if (at < 0 || at >= rank) {
    return GRAPH_FAILED;
  }
  *y = *x;
  y->SetDim(at, x->GetDim(at) / 2);
  return GRAPH_SUCCESS;
}
}  // namespace ge
