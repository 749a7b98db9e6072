// Runs the tiling function of an operator for one case.
#include <dlfcn.h>

#include <algorithm>

#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "host_node.h"
#include "profile.h"

namespace npu_emu::host {

namespace {

constexpr uint32_t maxBlocks = 65535;

std::vector<std::string> savedWarnings;

void runParse(const std::string& name, const ImplRecord* impl, NodeState& state) {
  if (impl == nullptr || impl->createCompileInfo == nullptr) return;
  state.compileInfo = impl->createCompileInfo();
  if (impl->parse != nullptr) {
    gert::TilingParseContext context(state);
    guarded("tiling parse function of " + name, [&] { return impl->parse(&context); });
  } else if (impl->plainParse != nullptr) {
    gert::TilingParseContext context(state);
    guarded("tiling parse function of " + name,
            [&] { return impl->plainParse(reinterpret_cast<gert::KernelContext*>(&context)); });
  }
}

// What the framework prepares for the kernel: it clears or fills outputs, and adds an argument for shapes. It does so only for operators that ask for it in two places.
void addInitialValues(const OperatorDescription& description, const NodeState& state, TileResult& result) {
  for (size_t i = 0; i < description.outputs.size(); ++i) {
    const ParameterDescription& output = description.outputs[i];
    auto& element = result.initial.emplace_back();
    if (output.shapeFromKernel) result.shapedOutputs = static_cast<uint32_t>(description.outputs.size());
    if (output.initValues.empty() || state.irOutputs[i].GetInstanceNum() == 0) continue;
    if (!state.needAtomic) {
      result.warnings.push_back("output " + output.name +
                                " has an InitValue, which does nothing: the tiling function of " + description.name +
                                " does not call SetNeedAtomic(true)");
      continue;
    }
    const ge::DataType type = state.outputs[state.irOutputs[i].GetInstanceStart()]->desc.GetDataType();
    const auto found = std::find(output.dtypes.begin(), output.dtypes.end(), type);
    const size_t column =
        std::min<size_t>(static_cast<size_t>(found - output.dtypes.begin()), output.initValues.size() - 1);
    if (output.initValues[column] != 0)
      result.warnings.push_back("output " + output.name +
                                " has an InitValue that is not 0: toolkits up to CANN 8.5 only clear outputs where an "
                                "operator is called by itself");
    const std::vector<uint8_t> one = encodeValues(type, {output.initValues[column]});
    for (size_t done = 0; done < 8; done += one.size()) element.insert(element.end(), one.begin(), one.end());
  }
}

TileResult resultOf(const OperatorDescription& description, const NodeState& state) {
  const std::string& name = state.name;
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
  if (Dl_info library; dladdr(state.blockDimCaller, &library) != 0)
    result.blockDimCaller = static_cast<uint64_t>(static_cast<const uint8_t*>(state.blockDimCaller) -
                                                  static_cast<const uint8_t*>(library.dli_fbase));
  if (state.tilingKey == UINT64_MAX)
    throw HostError{"the tiling function of " + name + " set tiling key " + std::to_string(state.tilingKey) +
                    ", which is that of no kernel: set another one"};
  result.tilingKey = state.tilingKey;
  result.tiling.assign(state.tilingBuffer.get(), state.tilingBuffer.get() + bytes);
  for (size_t i = 0; i < state.workspaceCount; ++i) {
    if (__builtin_add_overflow(result.workspaceBytes, state.workspaces[i], &result.workspaceBytes))
      throw HostError{"the workspace sizes of " + name + " overflow"};
  }
  result.warnings = savedWarnings;
  addInitialValues(description, state, result);
  return result;
}

}  // namespace

// Kernels are built for the configurations only: elsewhere a device finds none.
void requireConfig(const OperatorRecord& record, const SocProfile& soc) {
  const std::string family = soc.config;
  std::string others;
  for (const SocConfig& config : record.configs) {
    if (config.soc == family) return;
    others += (others.empty() ? " for " : ", ") + config.soc;
  }
  throw HostError{"the operator is configured" +
                  (others.empty() ? " for no device" : others + " and not for " + soc.name) +
                  ", where a build makes no kernel: add AICore().AddConfig(\"" + family + "\")"};
}

void noteSaved(const optiling::TilingDef& data) {
  std::vector<std::string> names;
  data.CollectUnset("", names);
  for (const std::string& name : names)
    noteOnce("tiling field " + name + " of " + data.GetTilingClassName() + " was never set");
}

void noteOnce(const std::string& warning) {
  if (std::find(savedWarnings.begin(), savedWarnings.end(), warning) == savedWarnings.end())
    savedWarnings.push_back(warning);
}

TileResult tile(const TileRequest& request) {
  savedWarnings.clear();
  const Node node = makeNode(request);
  const std::string& name = request.operatorName;
  requireConfig(node.definition->Record(), request.device);
  const ImplRecord* impl = findImpl(name);
  const auto own = node.definition->Record().tiling;
  const auto tiling = own ? own : impl ? impl->tiling : nullptr;
  if (tiling == nullptr) throw HostError{"operator " + name + " has no tiling function"};

  // The compile info object is left to the process: its destructor is candidate code with nothing left to say.
  runParse(name, impl, *node.state);
  gert::TilingContext context(*node.state);
  guarded("tiling function of " + name, [&] { return tiling(&context); });
  return resultOf(node.description, *node.state);
}

}  // namespace npu_emu::host
