// Attributes and node information: what the framework tells of a node.
#include "host.h"

namespace gert {

namespace {

using npu_emu::host::Attribute;
using npu_emu::host::AttrType;
using npu_emu::host::NodeState;
using npu_emu::host::NodeTensor;

const CompileTimeTensorDesc* descAt(const std::vector<std::unique_ptr<NodeTensor>>& tensors, size_t index) {
  return index < tensors.size() ? &tensors[index]->desc : nullptr;
}

const AnchorInstanceInfo* anchorAt(const std::vector<AnchorInstanceInfo>& anchors, size_t index) {
  return index < anchors.size() ? &anchors[index] : nullptr;
}

// On a device the function has memory there that is something else, or ends too early: what it makes of that is nobody's result.
const void* misread(const Attribute& entry, size_t index, const std::string& wanted) {
  npu_emu::host::noteMisread("attribute " + std::to_string(index) + " is declared as " + attrTypeName(entry.type) +
                             " and read as " + wanted + ": read it as it is declared");
  return nullptr;
}

const Attribute* attributeAt(const npu_emu::host::AttributeTable& table, size_t index, AttrType type) {
  if (index >= table.entries.size() || !table.entries[index].present) return nullptr;
  const Attribute& entry = table.entries[index];
  if (entry.type == type) return &entry;
  misread(entry, index, attrTypeName(type));
  return nullptr;
}

void noteTypeOf(const npu_emu::host::AttributeTable& table, size_t index, AttrType type) {
  if (index >= table.entries.size() || table.entries[index].type == type) return;
  npu_emu::host::noteOnce("attribute " + std::to_string(index) + " is declared as " +
                          attrTypeName(table.entries[index].type) + ", the tiling function reads it as " +
                          attrTypeName(type));
}

}  // namespace

AnchorInstanceInfo::AnchorInstanceInfo(uint32_t start, uint32_t count) : start_(start), count_(count) {}
size_t AnchorInstanceInfo::GetInstanceNum() const { return count_; }
size_t AnchorInstanceInfo::GetInstanceStart() const { return start_; }

CompileTimeTensorDesc::CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format)
    : type_(type), format_(format) {}
ge::DataType CompileTimeTensorDesc::GetDataType() const { return type_; }
const StorageFormat& CompileTimeTensorDesc::GetFormat() const { return format_; }
ge::Format CompileTimeTensorDesc::GetStorageFormat() const { return format_.GetStorageFormat(); }
ge::Format CompileTimeTensorDesc::GetOriginFormat() const { return format_.GetOriginFormat(); }

RuntimeAttrs::RuntimeAttrs(const npu_emu::host::AttributeTable& table) : table_(&table) {}
size_t RuntimeAttrs::GetAttrNum() const { return table_->entries.size(); }
// The framework hands out its memory whatever the type.
const int64_t* RuntimeAttrs::GetInt(size_t index) const {
  noteTypeOf(*table_, index, AttrType::Int);
  return GetAttrPointer<int64_t>(index);
}
const float* RuntimeAttrs::GetFloat(size_t index) const {
  noteTypeOf(*table_, index, AttrType::Float);
  return GetAttrPointer<float>(index);
}
const bool* RuntimeAttrs::GetBool(size_t index) const {
  noteTypeOf(*table_, index, AttrType::Bool);
  return GetAttrPointer<bool>(index);
}
const char* RuntimeAttrs::GetStr(size_t index) const {
  const Attribute* entry = attributeAt(*table_, index, AttrType::String);
  return entry ? entry->text.c_str() : nullptr;
}
// A typed view adds no members to the plain one.
static_assert(sizeof(TypedContinuousVector<int64_t>) == sizeof(ContinuousVector));
const TypedContinuousVector<int64_t>* RuntimeAttrs::GetListInt(size_t index) const {
  const Attribute* entry = attributeAt(*table_, index, AttrType::ListInt);
  return entry ? static_cast<const TypedContinuousVector<int64_t>*>(entry->list.get()) : nullptr;
}
const TypedContinuousVector<float>* RuntimeAttrs::GetListFloat(size_t index) const {
  const Attribute* entry = attributeAt(*table_, index, AttrType::ListFloat);
  return entry ? static_cast<const TypedContinuousVector<float>*>(entry->list.get()) : nullptr;
}
const void* RuntimeAttrs::Find(size_t index, size_t width) const {
  if (index >= table_->entries.size() || !table_->entries[index].present) return nullptr;
  const Attribute& entry = table_->entries[index];
  const auto value = [&](const void* memory, size_t size) {
    if (width > 0 && width <= size) return memory;
    return misread(entry, index, width == 0 ? "a list" : std::to_string(width) + " bytes");
  };
  switch (entry.type) {
    case AttrType::Int: return value(&entry.integer, sizeof entry.integer);
    case AttrType::Float: return value(&entry.real, sizeof entry.real);
    case AttrType::Bool: return value(&entry.flag, sizeof entry.flag);
    case AttrType::String: return value(entry.text.c_str(), sizeof(char));
    default: return width == 0 ? entry.list.get() : misread(entry, index, std::to_string(width) + " bytes");
  }
}
const double* RuntimeAttrs::FindDouble(size_t index) const {
  const Attribute* entry = attributeAt(*table_, index, AttrType::Float);
  return entry ? &entry->wide : nullptr;
}

ComputeNodeInfo::ComputeNodeInfo(const NodeState& state) : state_(&state) {}
const char* ComputeNodeInfo::GetNodeType() const { return state_->type.c_str(); }
const char* ComputeNodeInfo::GetNodeName() const { return state_->name.c_str(); }
size_t ComputeNodeInfo::GetIrInputsNum() const { return state_->irInputs.size(); }
size_t ComputeNodeInfo::GetIrOutputsNum() const { return state_->irOutputs.size(); }
size_t ComputeNodeInfo::GetInputsNum() const { return state_->inputs.size(); }
size_t ComputeNodeInfo::GetOutputsNum() const { return state_->outputs.size(); }
const AnchorInstanceInfo* ComputeNodeInfo::GetInputInstanceInfo(size_t irIndex) const {
  return anchorAt(state_->irInputs, irIndex);
}
const AnchorInstanceInfo* ComputeNodeInfo::GetOutputInstanceInfo(size_t irIndex) const {
  return anchorAt(state_->irOutputs, irIndex);
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetInputTdInfo(size_t index) const {
  return descAt(state_->inputs, index);
}
const CompileTimeTensorDesc* ComputeNodeInfo::GetOutputTdInfo(size_t index) const {
  return descAt(state_->outputs, index);
}
const RuntimeAttrs* ComputeNodeInfo::GetAttrs() const { return state_->attrs.get(); }

}  // namespace gert
