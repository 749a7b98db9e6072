// Runs the tiling function of an operator for one case.
#include <algorithm>
#include <exception>

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "host.h"
#include "host_attributes.h"
#include "launch.h"

namespace npu_emu::host {

namespace {

constexpr size_t tilingCapacity = 64 * 1024;
constexpr uint32_t maxBlocks = 65535;

std::vector<std::string> savedWarnings;

gert::StorageShape shapeOf(const TensorArgument& argument) {
  if (argument.shape.size() > gert::Shape::kMaxDimNum) throw HostError{"a tensor has more than 25 dimensions"};
  gert::StorageShape shape;
  for (const int64_t extent : argument.shape) {
    shape.MutableOriginShape().AppendDim(extent);
    shape.MutableStorageShape().AppendDim(extent);
  }
  return shape;
}

std::unique_ptr<NodeTensor> makeTensor(const TensorArgument& argument, ge::Format format) {
  const ge::DataType type = dtypeFromName(argument.dtype);
  if (type == ge::DT_UNDEFINED) throw HostError{"unknown dtype " + argument.dtype};
  const gert::StorageFormat formats(format, format);
  auto tensor = std::unique_ptr<NodeTensor>(
      new NodeTensor{gert::Tensor(shapeOf(argument), formats, type), gert::CompileTimeTensorDesc(type, formats), {}});
  if (!argument.hasValues) return tensor;
  tensor->data = encodeValues(type, argument.values);
  tensor->tensor.SetData(tensor->data.data(), tensor->data.size());
  return tensor;
}

void bindParameters(const char* role, const std::vector<ParameterDescription>& declared,
                    const std::vector<ParameterArgument>& arguments, std::vector<gert::AnchorInstanceInfo>& anchors,
                    std::vector<std::unique_ptr<NodeTensor>>& tensors) {
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
    const ge::Format format = declared[i].formats.empty() ? ge::FORMAT_ND : declared[i].formats.front();
    for (const TensorArgument& argument : arguments[i]) tensors.push_back(makeTensor(argument, format));
  }
}

std::string statusText(ge::graphStatus status) {
  if (status == ge::GRAPH_FAILED) return "GRAPH_FAILED";
  if (status == ge::GRAPH_PARAM_INVALID) return "GRAPH_PARAM_INVALID";
  return "status " + std::to_string(status);
}

// Exceptions of candidate code become messages.
template <class Call>
void guarded(const std::string& what, Call call) {
  ge::graphStatus status;
  try {
    status = call();
  } catch (const std::exception& error) {
    throw HostError{"the " + what + " threw: " + error.what()};
  }
  if (status != ge::GRAPH_SUCCESS) throw HostError{"the " + what + " returned " + statusText(status)};
}

void runParse(const std::string& name, const ImplRecord* impl, NodeState& state) {
  if (impl == nullptr || impl->createCompileInfo == nullptr) return;
  state.compileInfo = impl->createCompileInfo();
  if (impl->parse != nullptr) {
    gert::TilingParseContext context(state);
    guarded("tiling parse function of " + name, [&] { return impl->parse(&context); });
  } else if (impl->plainParse != nullptr) {
    gert::TilingParseContext context(state);
    guarded("tiling parse function of " + name, [&] { return impl->plainParse(&context); });
  }
}

TileResult resultOf(const std::string& name, const NodeState& state) {
  if (state.blockDim == 0) throw HostError{"the tiling function of " + name + " set no block dim"};
  if (state.blockDim > maxBlocks)
    throw HostError{"the tiling function of " + name + " set block dim " + std::to_string(state.blockDim) +
                    ", at most " + std::to_string(maxBlocks) + " blocks can be launched"};
  const size_t bytes = state.tiling->GetDataSize();
  if (bytes > tilingCapacity)
    throw HostError{"the tiling function of " + name + " set a data size of " + std::to_string(bytes) +
                    " bytes, the buffer has " + std::to_string(tilingCapacity)};
  TileResult result;
  result.blockDim = state.blockDim;
  result.tilingKey = state.tilingKey;
  result.tiling.assign(state.tilingBuffer.begin(), state.tilingBuffer.begin() + static_cast<ptrdiff_t>(bytes));
  for (size_t i = 0; i < state.workspaceCount; ++i) {
    if (__builtin_add_overflow(result.workspaceBytes, state.workspaces[i], &result.workspaceBytes))
      throw HostError{"the workspace sizes of " + name + " overflow"};
  }
  result.warnings = savedWarnings;
  return result;
}

}  // namespace

void noteSaved(const optiling::TilingDef& data) {
  std::vector<std::string> names;
  data.CollectUnset("", names);
  for (const std::string& name : names) {
    std::string warning = "tiling field " + name + " of " + data.GetTilingClassName() + " was never set";
    if (std::find(savedWarnings.begin(), savedWarnings.end(), warning) == savedWarnings.end())
      savedWarnings.push_back(std::move(warning));
  }
}

TileResult tile(const TileRequest& request) {
  const SocProfile* profile = findSoc(request.soc);
  if (profile == nullptr) throw HostError{"unknown SoC " + request.soc};
  setCurrentSoc(profile);
  savedWarnings.clear();
  const std::string& name = request.operatorName;
  const std::unique_ptr<ops::OpDef> definition = makeOperator(name);
  if (definition == nullptr) throw HostError{"the host library registers no operator " + name};
  const ImplRecord* impl = findImpl(name);
  const auto tiling = definition->Record().tiling ? definition->Record().tiling : impl ? impl->tiling : nullptr;
  if (tiling == nullptr) throw HostError{"operator " + name + " has no tiling function"};
  const OperatorDescription description = describeOperator(*definition);

  NodeState state;
  state.type = name;
  state.name = name;
  bindParameters("input", description.inputs, request.inputs, state.irInputs, state.inputs);
  bindParameters("output", description.outputs, request.outputs, state.irOutputs, state.outputs);
  state.attributeTable = bindAttributes(description.attrs, request.attrs);
  state.attrs = std::make_unique<gert::RuntimeAttrs>(state.attributeTable);
  state.info = std::make_unique<gert::ComputeNodeInfo>(state);
  state.platform = std::make_unique<fe::PlatFormInfos>(*profile);
  state.tilingBuffer.assign(tilingCapacity, 0);
  state.tiling = std::make_unique<gert::TilingData>(state.tilingBuffer.data(), tilingCapacity);

  // The compile info object is left to the process: its destructor is candidate code with nothing left to say.
  runParse(name, impl, state);
  gert::TilingContext context(state);
  guarded("tiling function of " + name, [&] { return tiling(&context); });
  return resultOf(name, state);
}

}  // namespace npu_emu::host
