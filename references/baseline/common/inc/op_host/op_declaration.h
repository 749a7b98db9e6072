// Shorter ways of saying what most operator definitions say.
#pragma once

#include <vector>

#include "register/op_def_registry.h"

namespace ops {
inline void DeclareInput(OpParamDef& input, std::vector<ge::DataType> types, Option needed = REQUIRED) {
  input.ParamType(needed).DataType(types).FormatList({ge::FORMAT_ND}).AutoContiguous();
}

inline void DeclareOutput(OpParamDef& output, std::vector<ge::DataType> types, Option needed = REQUIRED) {
  output.ParamType(needed).DataType(types).FormatList({ge::FORMAT_ND});
}
}  // namespace ops

namespace ge {
// Output `output` has the shape of input `input`.
inline graphStatus CopyShape(gert::InferShapeContext* context, size_t input, size_t output) {
  const gert::Shape* from = context->GetInputShape(input);
  gert::Shape* to = context->GetOutputShape(output);
  if (from == nullptr || to == nullptr) {
    return GRAPH_FAILED;
  }
  *to = *from;
  return GRAPH_SUCCESS;
}

// Output `output` has the shape of input `input` with ones for as many last axes as input `weights` has.
inline graphStatus ReducedShape(gert::InferShapeContext* context, size_t input, size_t weights, size_t output) {
  const gert::Shape* from = context->GetInputShape(input);
  const gert::Shape* of = context->GetInputShape(weights);
  gert::Shape* to = context->GetOutputShape(output);
  if (from == nullptr || of == nullptr || to == nullptr || from->GetDimNum() < of->GetDimNum()) {
    return GRAPH_FAILED;
  }
  *to = *from;
  for (size_t axis = from->GetDimNum() - of->GetDimNum(); axis < from->GetDimNum(); ++axis) {
    to->SetDim(axis, 1);
  }
  return GRAPH_SUCCESS;
}
}  // namespace ge
