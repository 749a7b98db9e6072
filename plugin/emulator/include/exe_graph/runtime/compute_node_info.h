// What the framework knows of a node before it runs: types, formats, attributes, instances of every declared parameter.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_format.h"
#include "graph/types.h"

#pragma GCC visibility push(default)

namespace npu_emu::host {
struct NodeState;
}

namespace gert {

// How many tensors a declared parameter received, and the index of the first among all tensors of the node.
// api: AnchorInstanceInfo, CompileTimeTensorDesc, ComputeNodeInfo | - | - | inferred: no public reference
class AnchorInstanceInfo {
 public:
  AnchorInstanceInfo(uint32_t start, uint32_t count);

  size_t GetInstanceNum() const;
  size_t GetInstanceStart() const;

 private:
  uint32_t start_;
  uint32_t count_;
};

class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc(ge::DataType type, const StorageFormat& format);

  ge::DataType GetDataType() const;
  const StorageFormat& GetFormat() const;
  ge::Format GetStorageFormat() const;
  ge::Format GetOriginFormat() const;
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetDataType(ge::DataType type) { type_ = type; }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }

 private:
  ge::DataType type_;
  StorageFormat format_;
};

class ComputeNodeInfo {
 public:
  explicit ComputeNodeInfo(const npu_emu::host::NodeState& state);

  const char* GetNodeType() const;
  const char* GetNodeName() const;
  size_t GetIrInputsNum() const;
  size_t GetIrOutputsNum() const;
  size_t GetInputsNum() const;
  size_t GetOutputsNum() const;
  const AnchorInstanceInfo* GetInputInstanceInfo(size_t irIndex) const;
  const AnchorInstanceInfo* GetOutputInstanceInfo(size_t irIndex) const;
  const CompileTimeTensorDesc* GetInputTdInfo(size_t index) const;
  const CompileTimeTensorDesc* GetOutputTdInfo(size_t index) const;
  const RuntimeAttrs* GetAttrs() const;

 private:
  const npu_emu::host::NodeState* state_;
};

}  // namespace gert

#pragma GCC visibility pop
