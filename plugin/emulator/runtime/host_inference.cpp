// Shape and type inference: what an operator says its outputs are, against those of the case.
#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "host_node.h"
#include "log/log.h"

namespace gert {

namespace {

using npu_emu::host::NodeState;
using npu_emu::host::NodeTensor;

const Tensor* instance(const NodeState& state, size_t irIndex, size_t number) {
  if (irIndex >= state.irInputs.size() || number >= state.irInputs[irIndex].GetInstanceNum()) return nullptr;
  return &state.inputs[state.irInputs[irIndex].GetInstanceStart() + number]->tensor;
}

const Tensor* at(const NodeState& state, size_t index) {
  return index < state.inputs.size() ? &state.inputs[index]->tensor : nullptr;
}

const Shape* shapeOf(const Tensor* tensor) { return tensor ? &tensor->GetOriginShape() : nullptr; }
ge::DataType typeOf(const Tensor* tensor) { return tensor ? tensor->GetDataType() : ge::DT_UNDEFINED; }

}  // namespace

const Shape* InferShapeContext::GetInputShape(size_t index) const { return shapeOf(at(*state_, index)); }
const Shape* InferShapeContext::GetRequiredInputShape(size_t irIndex) const { return GetDynamicInputShape(irIndex, 0); }
const Shape* InferShapeContext::GetOptionalInputShape(size_t irIndex) const { return GetDynamicInputShape(irIndex, 0); }
const Shape* InferShapeContext::GetDynamicInputShape(size_t irIndex, size_t number) const {
  return shapeOf(instance(*state_, irIndex, number));
}
const Tensor* InferShapeContext::GetInputTensor(size_t index) const { return at(*state_, index); }
const Tensor* InferShapeContext::GetRequiredInputTensor(size_t irIndex) const {
  return GetDynamicInputTensor(irIndex, 0);
}
const Tensor* InferShapeContext::GetOptionalInputTensor(size_t irIndex) const {
  return GetDynamicInputTensor(irIndex, 0);
}
const Tensor* InferShapeContext::GetDynamicInputTensor(size_t irIndex, size_t number) const {
  return instance(*state_, irIndex, number);
}
Shape* InferShapeContext::GetOutputShape(size_t index) {
  return index < state_->inferredShapes.size() ? &state_->inferredShapes[index] : nullptr;
}

const Range<Shape>* InferShapeRangeContext::GetInputShapeRange(size_t) const { return nullptr; }
Range<Shape>* InferShapeRangeContext::GetOutputShapeRange(size_t) { return nullptr; }

ge::DataType InferDataTypeContext::GetInputDataType(size_t index) const { return typeOf(at(*state_, index)); }
ge::DataType InferDataTypeContext::GetRequiredInputDataType(size_t irIndex) const {
  return GetDynamicInputDataType(irIndex, 0);
}
ge::DataType InferDataTypeContext::GetOptionalInputDataType(size_t irIndex) const {
  return GetDynamicInputDataType(irIndex, 0);
}
ge::DataType InferDataTypeContext::GetDynamicInputDataType(size_t irIndex, size_t number) const {
  return typeOf(instance(*state_, irIndex, number));
}
ge::DataType InferDataTypeContext::GetOutputDataType(size_t index) const {
  return index < state_->inferredTypes.size() ? state_->inferredTypes[index] : ge::DT_UNDEFINED;
}
ge::graphStatus InferDataTypeContext::SetOutputDataType(size_t index, ge::DataType type) {
  if (index >= state_->inferredTypes.size()) return ge::GRAPH_FAILED;
  state_->inferredTypes[index] = type;
  return ge::GRAPH_SUCCESS;
}

}  // namespace gert

namespace npu_emu::host {

namespace {

// -1 and -2 stand for what is only known once the operator has run.
bool agrees(const gert::Shape& inferred, const gert::Shape& wanted) {
  if (inferred.GetDimNum() == 1 && inferred.GetDim(0) == -2) return true;
  if (inferred.GetDimNum() != wanted.GetDimNum()) return false;
  for (size_t i = 0; i < wanted.GetDimNum(); ++i)
    if (inferred.GetDim(i) != -1 && inferred.GetDim(i) != wanted.GetDim(i)) return false;
  return true;
}

std::string nameOf(const Node& node, size_t tensor) {
  for (size_t i = 0; i < node.state->irOutputs.size(); ++i) {
    const auto& anchor = node.state->irOutputs[i];
    if (tensor < anchor.GetInstanceStart() || tensor >= anchor.GetInstanceStart() + anchor.GetInstanceNum()) continue;
    const ParameterDescription& output = node.description.outputs[i];
    const bool list = output.type == ops::DYNAMIC;
    return output.name + (list ? "[" + std::to_string(tensor - anchor.GetInstanceStart()) + "]" : "");
  }
  return std::to_string(tensor);
}

std::string difference(const std::string& function, const std::string& output, const std::string& wanted,
                       const std::string& inferred) {
  return "the " + function + " says output " + output + " is " + inferred + ", in this case it is " + wanted;
}

void inferShapes(const Node& node, gert::OpImplRegisterV2::InferShapeKernelFunc function,
                 std::vector<std::string>& findings) {
  const std::string what = "shape inference function of " + node.state->name;
  NodeState& state = *node.state;
  state.inferredShapes.assign(state.outputs.size(), gert::Shape());
  gert::InferShapeContext context(state);
  guarded(what, [&] { return function(&context); });
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const gert::Shape& wanted = state.outputs[i]->tensor.GetOriginShape();
    if (!agrees(state.inferredShapes[i], wanted))
      findings.push_back(
          difference(what, nameOf(node, i), Ops::Base::ToString(wanted), Ops::Base::ToString(state.inferredShapes[i])));
  }
}

void inferTypes(const Node& node, gert::OpImplRegisterV2::InferDataTypeKernelFunc function,
                std::vector<std::string>& findings) {
  const std::string what = "type inference function of " + node.state->name;
  NodeState& state = *node.state;
  state.inferredTypes.assign(state.outputs.size(), ge::DT_UNDEFINED);
  gert::InferDataTypeContext context(state);
  guarded(what, [&] { return function(&context); });
  for (size_t i = 0; i < state.outputs.size(); ++i) {
    const ge::DataType wanted = state.outputs[i]->desc.GetDataType();
    if (state.inferredTypes[i] != wanted)
      findings.push_back(difference(what, nameOf(node, i), dtypeName(wanted), dtypeName(state.inferredTypes[i])));
  }
}

// A function that fails is a finding like any other.
template <class Call>
void collecting(std::vector<std::string>& findings, Call call) {
  try {
    call();
  } catch (const HostError& error) {
    findings.push_back(error.message);
  }
}

}  // namespace

std::vector<std::string> infer(const TileRequest& request) {
  const Node node = makeNode(request);
  const OperatorRecord& record = node.definition->Record();
  const ImplRecord* impl = findImpl(request.operatorName);
  const auto shapes = record.inferShape ? record.inferShape : impl ? impl->inferShape : nullptr;
  const auto types = record.inferDataType ? record.inferDataType : impl ? impl->inferDataType : nullptr;
  std::vector<std::string> findings;
  if (shapes != nullptr) collecting(findings, [&] { inferShapes(node, shapes, findings); });
  if (types != nullptr) collecting(findings, [&] { inferTypes(node, types, findings); });
  return findings;
}

}  // namespace npu_emu::host
