// Inference never runs: these exist so that a host library links.
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"

namespace gert {

const Shape* InferShapeContext::GetInputShape(size_t) const { return nullptr; }
const Shape* InferShapeContext::GetRequiredInputShape(size_t) const { return nullptr; }
const Shape* InferShapeContext::GetOptionalInputShape(size_t) const { return nullptr; }
const Shape* InferShapeContext::GetDynamicInputShape(size_t, size_t) const { return nullptr; }
const Tensor* InferShapeContext::GetInputTensor(size_t) const { return nullptr; }
const Tensor* InferShapeContext::GetRequiredInputTensor(size_t) const { return nullptr; }
const Tensor* InferShapeContext::GetOptionalInputTensor(size_t) const { return nullptr; }
const Tensor* InferShapeContext::GetDynamicInputTensor(size_t, size_t) const { return nullptr; }
Shape* InferShapeContext::GetOutputShape(size_t) { return nullptr; }
ge::DataType InferDataTypeContext::GetInputDataType(size_t) const { return ge::DT_UNDEFINED; }
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t) const { return ge::DT_UNDEFINED; }
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t) const { return ge::DT_UNDEFINED; }
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t, size_t) const { return ge::DT_UNDEFINED; }
ge::DataType InferDataTypeContext::GetOutputDataType(size_t) const { return ge::DT_UNDEFINED; }
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t, ge::DataType) { return ge::GRAPH_FAILED; }

}  // namespace gert
