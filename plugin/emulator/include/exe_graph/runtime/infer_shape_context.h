// Shape inference must compile in a candidate's host sources. It never runs here: shapes come from the case.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

#pragma GCC visibility push(default)

namespace gert {

// api: InferShapeContext | - | - | inferred: it compiles and never runs
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

class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
};

}  // namespace gert

#pragma GCC visibility pop
