// What a type inference function sees and sets. Getters count as those of the tiling context.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

#pragma GCC visibility push(default)

namespace gert {

// api: InferDataTypeContext | - | - | inferred: runs after a launch, differences are warnings
class InferDataTypeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  ge::DataType GetInputDataType(size_t index) const;
  ge::DataType GetRequiredInputDataType(size_t irIndex) const;
  ge::DataType GetOptionalInputDataType(size_t irIndex) const;
  ge::DataType GetDynamicInputDataType(size_t irIndex, size_t instance) const;
  ge::DataType GetOutputDataType(size_t index) const;
  ge::graphStatus SetOutputDataType(size_t index, ge::DataType type);
};

}  // namespace gert

#pragma GCC visibility pop
