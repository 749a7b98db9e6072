// Values of inputs that are known to the host.
#pragma once

#include <cstdint>
#include <type_traits>

#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "log/log.h"

#pragma GCC visibility push(default)

namespace Ops {
namespace Base {

// Element `index` of a tensor of 32- or 64-bit integers; false when there is no such value.
bool ReadInteger(const gert::Tensor* tensor, size_t index, int64_t& value);

template <class Context, class T>
bool GetConstInt(const Context* context, int64_t input, T& value) {
  int64_t wide = 0;
  if (!ReadInteger(context->GetInputTensor(static_cast<size_t>(input)), 0, wide)) return false;
  value = static_cast<T>(wide);
  return true;
}

template <class Context>
bool GetConstIntToShape(const Context* context, int64_t input, gert::Shape& shape) {
  const gert::Tensor* tensor = context->GetInputTensor(static_cast<size_t>(input));
  int64_t extent = 0;
  if (tensor == nullptr || (tensor->GetShapeSize() > 0 && !ReadInteger(tensor, 0, extent))) return false;
  shape.SetDimNum(0);
  for (int64_t i = 0; i < tensor->GetShapeSize(); ++i) {
    if (!ReadInteger(tensor, static_cast<size_t>(i), extent)) return false;
    shape.AppendDim(extent);
  }
  return true;
}

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
