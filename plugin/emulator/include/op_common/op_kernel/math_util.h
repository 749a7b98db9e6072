// Integer division and alignment in kernels. The divisor must not be 0.
#pragma once

#include "kernel_operator.h"

namespace Ops {
namespace Base {

// api: CeilDiv, FloorDiv, CeilAlign, FloorAlign | S | integers | inferred: no public reference
template <typename T>
inline T CeilDiv(T a, T b) {
  return static_cast<T>(a / b + (a % b != 0 ? 1 : 0));
}
template <typename T>
inline T FloorDiv(T a, T b) {
  return a / b;
}
template <typename T>
inline T CeilAlign(T a, T b) {
  return static_cast<T>(CeilDiv(a, b) * b);
}
template <typename T>
inline T FloorAlign(T a, T b) {
  return a / b * b;
}

}  // namespace Base
}  // namespace Ops
