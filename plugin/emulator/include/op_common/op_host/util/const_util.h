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
// api: ReadInteger, GetConstInt, ReadShape, GetValueToShape, GetConstIntToShape | - | - | inferred: no public reference
bool ReadInteger(const gert::Tensor* tensor, size_t index, int64_t& value);

template <class Context, class T>
bool GetConstInt(const Context* context, int64_t input, T& value) {
  int64_t wide = 0;
  if (!ReadInteger(context->GetInputTensor(static_cast<size_t>(input)), 0, wide)) return false;
  value = static_cast<T>(wide);
  return true;
}

// The elements of a tensor as extents; false when they are not known or no integers.
bool ReadShape(const gert::Tensor* tensor, gert::Shape& shape);

template <class T>
bool GetValueToShape(const gert::Tensor* tensor, gert::Shape& shape) {
  return ReadShape(tensor, shape);
}

template <class Context>
bool GetConstIntToShape(const Context* context, int64_t input, gert::Shape& shape) {
  return ReadShape(context->GetInputTensor(static_cast<size_t>(input)), shape);
}

}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop
