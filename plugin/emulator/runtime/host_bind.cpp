// From a request to the node it describes.
#include <algorithm>
#include <new>

#include <sys/mman.h>

#include "host_attributes.h"
#include "host_node.h"
#include "profile.h"

namespace npu_emu::host {

namespace {

gert::StorageShape shapeOf(const TensorArgument& argument) {
  if (argument.shape.size() > gert::Shape::kMaxDimNum) throw HostError{"a tensor has more than 25 dimensions"};
  gert::StorageShape shape;
  for (const int64_t extent : argument.shape) {
    shape.MutableOriginShape().AppendDim(extent);
    shape.MutableStorageShape().AppendDim(extent);
  }
  return shape;
}

std::unique_ptr<NodeTensor> makeTensor(const TensorArgument& argument, ge::Format format, bool isAtHost) {
  const ge::DataType type = dtypeFromName(argument.dtype);
  if (type == ge::DT_UNDEFINED) throw HostError{"unknown dtype " + argument.dtype};
  const gert::StorageFormat formats(format, format);
  auto tensor = std::unique_ptr<NodeTensor>(
      new NodeTensor{gert::Tensor(shapeOf(argument), formats, type), gert::CompileTimeTensorDesc(type, formats), {}});
  if (!argument.hasValues || !isAtHost) return tensor;
  tensor->data = encodeValues(type, argument.values);
  tensor->tensor.SetData(tensor->data.data(), tensor->data.size());
  return tensor;
}

// Whether the column of the operator's lists is for the dtypes of the tensors.
bool fits(const std::vector<ParameterDescription>& declared, const std::vector<ParameterArgument>& arguments,
          size_t column) {
  for (size_t i = 0; i < std::min(declared.size(), arguments.size()); ++i)
    for (const TensorArgument& argument : arguments[i])
      if (column >= declared[i].dtypes.size() || declared[i].dtypes[column] != dtypeFromName(argument.dtype))
        return false;
  return true;
}

// The column that says the formats. Tensors are plain: of columns for the same dtypes, the first with most of them ND.
size_t columnOf(const OperatorDescription& description, const TileRequest& request) {
  size_t columns = 0, found = 0, mostPlain = 0;
  for (const auto* parameters : {&description.inputs, &description.outputs})
    for (const ParameterDescription& parameter : *parameters) columns = std::max(columns, parameter.formats.size());
  for (size_t column = 0; column < columns; ++column) {
    if (!fits(description.inputs, request.inputs, column) || !fits(description.outputs, request.outputs, column))
      continue;
    size_t plain = 1;
    for (const auto* parameters : {&description.inputs, &description.outputs})
      for (const ParameterDescription& parameter : *parameters)
        plain += column < parameter.formats.size() && parameter.formats[column] == ge::FORMAT_ND;
    if (plain > mostPlain) found = column;
    mostPlain = std::max(mostPlain, plain);
  }
  return found;
}

// What the host part is told of a tensor: the call of the operator hands over formats of images as ND, unless they are strict.
ge::Format toldFormat(ge::Format declared, bool strict) {
  if (strict) return declared;
  switch (declared) {
    case ge::FORMAT_NCHW:
    case ge::FORMAT_NHWC:
    case ge::FORMAT_DHWCN:
    case ge::FORMAT_NCDHW:
    case ge::FORMAT_NCL: return ge::FORMAT_ND;
    default: return declared;
  }
}

void bindParameters(const char* role, const std::vector<ParameterDescription>& declared,
                    const std::vector<ParameterArgument>& arguments, size_t column, bool strict,
                    std::vector<gert::AnchorInstanceInfo>& anchors, std::vector<std::unique_ptr<NodeTensor>>& tensors) {
  if (declared.size() != arguments.size())
    throw HostError{"the operator declares " + std::to_string(declared.size()) + " " + role + "s, the task has " +
                    std::to_string(arguments.size())};
  for (size_t i = 0; i < declared.size(); ++i) {
    const size_t instances = arguments[i].size();
    if (instances > 1 && declared[i].type != ops::DYNAMIC)
      throw HostError{std::string(role) + " " + declared[i].name + " is not declared DYNAMIC, the case has " +
                      std::to_string(instances) + " tensors"};
    if (instances == 0 && declared[i].type == ops::REQUIRED)
      throw HostError{std::string(role) + " " + declared[i].name + " is declared REQUIRED, the case leaves it out"};
    anchors.emplace_back(static_cast<uint32_t>(tensors.size()), static_cast<uint32_t>(instances));
    const std::vector<ge::Format>& formats = declared[i].formats;
    const ge::Format format = formats.empty() ? ge::FORMAT_ND : formats[std::min(column, formats.size() - 1)];
    for (const TensorArgument& argument : arguments[i])
      tensors.push_back(makeTensor(argument, toldFormat(format, strict), declared[i].isAtHost));
  }
}

}  // namespace

void UnmapTiling::operator()(uint8_t* pages) const { munmap(pages, tilingCapacity); }

std::string statusText(ge::graphStatus status) {
  if (status == ge::GRAPH_FAILED) return "GRAPH_FAILED";
  if (status == ge::GRAPH_PARAM_INVALID) return "GRAPH_PARAM_INVALID";
  return "status " + std::to_string(status);
}

Node makeNode(const TileRequest& request) {
  setCurrentDevice(request.device);
  const std::string& name = request.operatorName;
  Node node{makeOperator(name), {}, std::make_unique<NodeState>()};
  if (node.definition == nullptr) throw HostError{"the host library registers no operator " + name};
  node.description = describeOperator(*node.definition, request.device.config);
  const ImplRecord* impl = findImpl(request.operatorName);
  if (impl != nullptr)
    for (const int32_t input : impl->dataInputs)
      if (input >= 0 && static_cast<size_t>(input) < node.description.inputs.size())
        node.description.inputs[static_cast<size_t>(input)].isAtHost = true;
  const OperatorDescription& description = node.description;

  NodeState& state = *node.state;
  state.type = name;
  state.name = name;
  const size_t column = columnOf(description, request);
  bindParameters("input", description.inputs, request.inputs, column, description.strictFormats, state.irInputs,
                 state.inputs);
  bindParameters("output", description.outputs, request.outputs, column, description.strictFormats, state.irOutputs,
                 state.outputs);
  state.attributeTable = bindAttributes(description.attrs, request.attrs);
  if (impl != nullptr)
    for (const AttrRecord& record : impl->privateAttrs)
      state.attributeTable.entries.push_back(makeAttribute(record, record.value));
  state.attrs = std::make_unique<gert::RuntimeAttrs>(state.attributeTable);
  state.info = std::make_unique<gert::ComputeNodeInfo>(state);
  state.platform = std::make_unique<fe::PlatFormInfos>(*currentDevice());
  // Zeros without a write, as most tilings are much smaller: a process that is new clears what the heap gives it, page by page.
  void* const pages = mmap(nullptr, tilingCapacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  state.tilingBuffer.reset(static_cast<uint8_t*>(pages));
  state.tiling = std::make_unique<gert::TilingData>(state.tilingBuffer.get(), tilingCapacity);
  return node;
}

}  // namespace npu_emu::host
