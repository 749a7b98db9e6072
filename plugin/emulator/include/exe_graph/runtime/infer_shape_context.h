// What a shape inference function sees and sets. Getters count as those of the tiling context.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/infer_shape_range_context.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

#pragma GCC visibility push(default)

namespace gert {

// api: InferShapeContext | - | - | inferred: runs after a launch, differences are warnings
class InferShapeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Shape* GetInputShape(size_t index) const;
  const Shape* GetRequiredInputShape(size_t irIndex) const;
  const Shape* GetOptionalInputShape(size_t irIndex) const;
  const Shape* GetDynamicInputShape(size_t irIndex, size_t instance) const;
  const Tensor* GetInputTensor(size_t index) const;
  const Tensor* GetRequiredInputTensor(size_t irIndex) const;
  const Tensor* GetOptionalInputTensor(size_t irIndex) const;
  const Tensor* GetDynamicInputTensor(size_t irIndex, size_t instance) const;
  Shape* GetOutputShape(size_t index);
};

}  // namespace gert

#pragma GCC visibility pop
