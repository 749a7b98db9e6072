// What every host function's context offers: the node it runs for.
#pragma once

#include "exe_graph/runtime/compute_node_info.h"

#pragma GCC visibility push(default)

namespace gert {

// api: KernelContext, ExtendedKernelContext | - | - | inferred: no public reference
class KernelContext {
 public:
  explicit KernelContext(npu_emu::host::NodeState& state);
  size_t GetInputNum() const;
  size_t GetOutputNum() const;

 protected:
  npu_emu::host::NodeState* state_;
};

// The counts of the base are not for operators: GetComputeNodeInputNum is.
class ExtendedKernelContext : protected KernelContext {
 public:
  using KernelContext::KernelContext;

  const char* GetNodeType() const;
  const char* GetNodeName() const;
  const char* GetKernelType() const;
  const char* GetKernelName() const;
  size_t GetComputeNodeInputNum() const;
  size_t GetComputeNodeOutputNum() const;
  const ComputeNodeInfo* GetComputeNodeInfo() const;
  const RuntimeAttrs* GetAttrs() const;
  const AnchorInstanceInfo* GetIrInputInstanceInfo(size_t irIndex) const;
  const AnchorInstanceInfo* GetIrOutputInstanceInfo(size_t irIndex) const;
  const CompileTimeTensorDesc* GetInputDesc(size_t index) const;
  const CompileTimeTensorDesc* GetRequiredInputDesc(size_t irIndex) const;
  const CompileTimeTensorDesc* GetOptionalInputDesc(size_t irIndex) const;
  const CompileTimeTensorDesc* GetDynamicInputDesc(size_t irIndex, size_t instance) const;
  const CompileTimeTensorDesc* GetOutputDesc(size_t index) const;
  const CompileTimeTensorDesc* GetDynamicOutputDesc(size_t irIndex, size_t instance) const;
};

}  // namespace gert

#pragma GCC visibility pop
