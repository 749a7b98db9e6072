// A 16-bit floating type: storage is the bits, arithmetic is that of float, rounded once.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace Ops {
namespace Base {

// api: SmallFloat | - | - | inferred: Ops::Base::fp16_t and bfloat16 of operator repositories
template <class Bits>
struct SmallFloat {
  uint16_t val = 0;

  constexpr SmallFloat() = default;
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  SmallFloat(T value) : val(Bits::Round(static_cast<float>(value))) {}

  float toFloat() const { return Bits::Widen(val); }
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
  operator T() const {
    return static_cast<T>(toFloat());
  }

  friend SmallFloat operator+(SmallFloat a, SmallFloat b) { return a.toFloat() + b.toFloat(); }
  friend SmallFloat operator-(SmallFloat a, SmallFloat b) { return a.toFloat() - b.toFloat(); }
  friend SmallFloat operator*(SmallFloat a, SmallFloat b) { return a.toFloat() * b.toFloat(); }
  friend SmallFloat operator/(SmallFloat a, SmallFloat b) { return a.toFloat() / b.toFloat(); }
  friend bool operator==(SmallFloat a, SmallFloat b) { return a.toFloat() == b.toFloat(); }
  friend bool operator!=(SmallFloat a, SmallFloat b) { return a.toFloat() != b.toFloat(); }
  friend bool operator<(SmallFloat a, SmallFloat b) { return a.toFloat() < b.toFloat(); }
  friend bool operator<=(SmallFloat a, SmallFloat b) { return a.toFloat() <= b.toFloat(); }
  friend bool operator>(SmallFloat a, SmallFloat b) { return a.toFloat() > b.toFloat(); }
  friend bool operator>=(SmallFloat a, SmallFloat b) { return a.toFloat() >= b.toFloat(); }
};

}  // namespace Base
}  // namespace Ops
