// Integer division and alignment of tiling code. A divisor of 0 gives the dividend.
#pragma once

#include <cmath>
#include <type_traits>

namespace Ops {
namespace Base {

// a / b rounded towards positive infinity.
// api: CeilDiv, FloorDiv, CeilAlign, FloorAlign | - | integers | inferred: no public reference
template <class T, class U>
T CeilDiv(T a, U b) {
  static_assert(std::is_integral_v<T> && std::is_integral_v<U>, "CeilDiv divides integers");
  const T divisor = static_cast<T>(b);
  if (divisor == 0) return a;
  const T quotient = a / divisor;
  const bool positive = (a > 0) == (divisor > 0);
  return a % divisor != 0 && positive ? quotient + 1 : quotient;
}

// a / b rounded towards zero.
template <class T, class U>
T FloorDiv(T a, U b) {
  static_assert(std::is_integral_v<T> && std::is_integral_v<U>, "FloorDiv divides integers");
  const T divisor = static_cast<T>(b);
  return divisor == 0 ? a : a / divisor;
}

// The smallest multiple of b that is not below a.
template <class T, class U>
T CeilAlign(T a, U b) {
  const T divisor = static_cast<T>(b);
  return divisor == 0 ? a : CeilDiv(a, divisor) * divisor;
}

// The largest multiple of b that is not above a.
template <class T, class U>
T FloorAlign(T a, U b) {
  const T divisor = static_cast<T>(b);
  return divisor == 0 ? a : FloorDiv(a, divisor) * divisor;
}

}  // namespace Base
}  // namespace Ops
