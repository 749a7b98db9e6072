// What a function sees that infers formats.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"

#pragma GCC visibility push(default)

namespace gert {

// Formats are inferred for graphs: the function must compile, and never runs here.
// api: InferFormatContext | - | - | inferred: it compiles and never runs
class InferFormatContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;

  StorageFormat* GetInputFormat(size_t) { return nullptr; }
  StorageFormat* GetRequiredInputFormat(size_t) { return nullptr; }
  StorageFormat* GetOptionalInputFormat(size_t) { return nullptr; }
  StorageFormat* GetDynamicInputFormat(size_t, size_t) { return nullptr; }
  const Shape* GetInputShape(size_t) const { return nullptr; }
  const Shape* GetRequiredInputShape(size_t) const { return nullptr; }
  const Shape* GetOptionalInputShape(size_t) const { return nullptr; }
  const Shape* GetDynamicInputShape(size_t, size_t) const { return nullptr; }
  const Tensor* GetInputTensor(size_t) const { return nullptr; }
  const Tensor* GetRequiredInputTensor(size_t) const { return nullptr; }
  const Tensor* GetOptionalInputTensor(size_t) const { return nullptr; }
  const Tensor* GetDynamicInputTensor(size_t, size_t) const { return nullptr; }
  StorageFormat* GetOutputFormat(size_t) { return nullptr; }
  StorageFormat* GetRequiredOutputFormat(size_t) { return nullptr; }
  StorageFormat* GetDynamicOutputFormat(size_t, size_t) { return nullptr; }
};

}  // namespace gert

#pragma GCC visibility pop
