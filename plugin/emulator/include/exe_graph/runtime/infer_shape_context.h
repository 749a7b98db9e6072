// What a shape inference function sees and sets. Getters count as those of the tiling context.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
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

// api: Range | - | - | inferred: it compiles and never runs
template <class T>
class Range {
 public:
  Range() = default;
  Range(T* min, T* max) : min_(min), max_(max) {}
  explicit Range(T* same) : Range(same, same) {}

  const T* GetMin() const { return min_; }
  const T* GetMax() const { return max_; }
  T* GetMin() { return min_; }
  T* GetMax() { return max_; }
  void SetMin(T* min) { min_ = min; }
  void SetMax(T* max) { max_ = max; }

 private:
  T* min_ = nullptr;
  T* max_ = nullptr;
};

// Shape ranges are for graphs whose shapes are unknown: the function must compile, and never runs here.
// api: InferShapeRangeContext | - | - | inferred: it compiles and never runs
class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  const Range<Shape>* GetInputShapeRange(size_t index) const;
  Range<Shape>* GetOutputShapeRange(size_t index);
};

}  // namespace gert

#pragma GCC visibility pop
