// The contexts of tiling functions: views of one NodeState.
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "host.h"

namespace gert {

namespace {

using npu_emu::host::NodeState;
using npu_emu::host::NodeTensor;
using Anchors = std::vector<AnchorInstanceInfo>;
using Tensors = std::vector<std::unique_ptr<NodeTensor>>;

NodeTensor* at(const Tensors& tensors, size_t index) { return index < tensors.size() ? tensors[index].get() : nullptr; }

NodeTensor* instance(const Anchors& anchors, const Tensors& tensors, size_t irIndex, size_t number) {
  if (irIndex >= anchors.size() || number >= anchors[irIndex].GetInstanceNum()) return nullptr;
  return at(tensors, anchors[irIndex].GetInstanceStart() + number);
}

const CompileTimeTensorDesc* descOf(const NodeTensor* tensor) { return tensor ? &tensor->desc : nullptr; }
const StorageShape* shapeOf(const NodeTensor* tensor) { return tensor ? &tensor->tensor.GetShape() : nullptr; }
const Tensor* tensorOf(const NodeTensor* tensor) { return tensor ? &tensor->tensor : nullptr; }

const AnchorInstanceInfo* anchorAt(const Anchors& anchors, size_t index) {
  return index < anchors.size() ? &anchors[index] : nullptr;
}

}  // namespace

KernelContext::KernelContext(NodeState& state) : state_(&state) {}
size_t KernelContext::GetInputNum() const { return state_->inputs.size(); }
size_t KernelContext::GetOutputNum() const { return state_->outputs.size(); }

const char* ExtendedKernelContext::GetNodeType() const { return state_->type.c_str(); }
const char* ExtendedKernelContext::GetNodeName() const { return state_->name.c_str(); }
const char* ExtendedKernelContext::GetKernelType() const { return state_->type.c_str(); }
const char* ExtendedKernelContext::GetKernelName() const { return state_->name.c_str(); }
size_t ExtendedKernelContext::GetComputeNodeInputNum() const { return state_->inputs.size(); }
size_t ExtendedKernelContext::GetComputeNodeOutputNum() const { return state_->outputs.size(); }
const ComputeNodeInfo* ExtendedKernelContext::GetComputeNodeInfo() const { return state_->info.get(); }
const RuntimeAttrs* ExtendedKernelContext::GetAttrs() const { return state_->attrs.get(); }
const AnchorInstanceInfo* ExtendedKernelContext::GetIrInputInstanceInfo(size_t irIndex) const {
  return anchorAt(state_->irInputs, irIndex);
}
const AnchorInstanceInfo* ExtendedKernelContext::GetIrOutputInstanceInfo(size_t irIndex) const {
  return anchorAt(state_->irOutputs, irIndex);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetInputDesc(size_t index) const {
  return descOf(at(state_->inputs, index));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetRequiredInputDesc(size_t irIndex) const {
  return GetDynamicInputDesc(irIndex, 0);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOptionalInputDesc(size_t irIndex) const {
  return GetDynamicInputDesc(irIndex, 0);
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicInputDesc(size_t irIndex, size_t number) const {
  return descOf(instance(state_->irInputs, state_->inputs, irIndex, number));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetOutputDesc(size_t index) const {
  return descOf(at(state_->outputs, index));
}
const CompileTimeTensorDesc* ExtendedKernelContext::GetDynamicOutputDesc(size_t irIndex, size_t number) const {
  return descOf(instance(state_->irOutputs, state_->outputs, irIndex, number));
}

const void* TilingContext::GetCompileInfo() const { return state_->compileInfo; }
fe::PlatFormInfos* TilingContext::GetPlatformInfo() const { return state_->platform.get(); }
const StorageShape* TilingContext::GetInputShape(size_t index) const { return shapeOf(at(state_->inputs, index)); }
const StorageShape* TilingContext::GetRequiredInputShape(size_t irIndex) const {
  return GetDynamicInputShape(irIndex, 0);
}
const StorageShape* TilingContext::GetOptionalInputShape(size_t irIndex) const {
  return GetDynamicInputShape(irIndex, 0);
}
const StorageShape* TilingContext::GetDynamicInputShape(size_t irIndex, size_t number) const {
  return shapeOf(instance(state_->irInputs, state_->inputs, irIndex, number));
}
const StorageShape* TilingContext::GetOutputShape(size_t index) const { return shapeOf(at(state_->outputs, index)); }
const StorageShape* TilingContext::GetDynamicOutputShape(size_t irIndex, size_t number) const {
  return shapeOf(instance(state_->irOutputs, state_->outputs, irIndex, number));
}
const Tensor* TilingContext::GetInputTensor(size_t index) const { return tensorOf(at(state_->inputs, index)); }
const Tensor* TilingContext::GetRequiredInputTensor(size_t irIndex) const { return GetDynamicInputTensor(irIndex, 0); }
const Tensor* TilingContext::GetOptionalInputTensor(size_t irIndex) const { return GetDynamicInputTensor(irIndex, 0); }
const Tensor* TilingContext::GetDynamicInputTensor(size_t irIndex, size_t number) const {
  return tensorOf(instance(state_->irInputs, state_->inputs, irIndex, number));
}

ge::graphStatus TilingContext::SetTilingKey(uint64_t key) {
  state_->tilingKey = key;
  return ge::GRAPH_SUCCESS;
}
uint64_t TilingContext::GetTilingKey() const { return state_->tilingKey; }
ge::graphStatus TilingContext::SetBlockDim(uint32_t blocks) {
  state_->blockDim = blocks;
  state_->blockDimCaller = __builtin_return_address(0);
  return ge::GRAPH_SUCCESS;
}
ge::graphStatus TilingContext::SetSimdNumBlocks(uint32_t blocks) {
  state_->blockDim = blocks;
  state_->blockDimCaller = __builtin_return_address(0);
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetBlockDim() const { return state_->blockDim; }
ge::graphStatus TilingContext::SetNeedAtomic(bool atomic) {
  state_->needAtomic = atomic;
  return ge::GRAPH_SUCCESS;
}
bool TilingContext::NeedAtomic() const { return state_->needAtomic; }
ge::graphStatus TilingContext::SetTilingCond(int32_t condition) {
  state_->tilingCondition = condition;
  return ge::GRAPH_SUCCESS;
}
int32_t TilingContext::GetTilingCond() const { return state_->tilingCondition; }
ge::graphStatus TilingContext::SetScheduleMode(uint32_t mode) {
  state_->scheduleMode = mode;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetScheduleMode() const { return state_->scheduleMode; }
ge::graphStatus TilingContext::SetLocalMemorySize(uint32_t bytes) {
  state_->localMemorySize = bytes;
  return ge::GRAPH_SUCCESS;
}
uint32_t TilingContext::GetLocalMemorySize() const { return state_->localMemorySize; }
int32_t TilingContext::GetDeterministic() const { return 0; }
TilingData* TilingContext::GetRawTilingData() { return state_->tiling.get(); }
void* TilingContext::ReserveTilingData(size_t bytes) {
  if (bytes > state_->tiling->GetCapacity()) return nullptr;
  state_->tiling->SetDataSize(bytes);
  return state_->tiling->GetData();
}
size_t* TilingContext::GetWorkspaceSizes(size_t count) {
  if (count > std::size(state_->workspaces)) return nullptr;
  state_->workspaceCount = count;
  return state_->workspaces;
}
size_t TilingContext::GetWorkspaceNum() const { return state_->workspaceCount; }

const char* TilingParseContext::GetCompiledJson() const { return "{}"; }
fe::PlatFormInfos* TilingParseContext::GetPlatformInfo() const { return state_->platform.get(); }
void* TilingParseContext::CompiledInfo() { return state_->compileInfo; }

}  // namespace gert
