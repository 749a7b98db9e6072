// What a function sees that infers the range of a shape.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/range.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

#pragma GCC visibility push(default)

namespace gert {

using TensorRange = Range<Tensor>;

// Shape ranges are for graphs whose shapes are unknown: the function must compile, and never runs here.
// api: InferShapeRangeContext | - | - | inferred: it compiles and never runs
class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Range<Shape>* GetInputShapeRange(size_t index) const;
  const Range<Shape>* GetRequiredInputShapeRange(size_t irIndex) const { return GetInputShapeRange(irIndex); }
  const Range<Shape>* GetOptionalInputShapeRange(size_t irIndex) const { return GetInputShapeRange(irIndex); }
  const Range<Shape>* GetDynamicInputShapeRange(size_t irIndex, size_t) const { return GetInputShapeRange(irIndex); }
  const TensorRange* GetInputTensorRange(size_t) const { return nullptr; }
  const TensorRange* GetRequiredInputTensorRange(size_t) const { return nullptr; }
  const TensorRange* GetOptionalInputTensorRange(size_t) const { return nullptr; }
  const TensorRange* GetDynamicInputTensorRange(size_t, size_t) const { return nullptr; }
  Range<Shape>* GetOutputShapeRange(size_t index);
};

}  // namespace gert

#pragma GCC visibility pop
