// AscendC::Std: what the device library takes over from the C++ standard library.
#pragma once

#include "types.h"

namespace AscendC {
namespace Std {

using std::add_const;
using std::add_const_t;
using std::add_cv;
using std::add_cv_t;
using std::add_lvalue_reference;
using std::add_lvalue_reference_t;
using std::add_pointer;
using std::add_pointer_t;
using std::add_rvalue_reference;
using std::add_rvalue_reference_t;
using std::add_volatile;
using std::add_volatile_t;
using std::apply;
using std::bool_constant;
using std::conditional;
using std::conditional_t;
using std::decay;
using std::decay_t;
using std::declval;
using std::enable_if;
using std::enable_if_t;
using std::false_type;
using std::forward;
using std::get;
using std::ignore;
using std::index_sequence;
using std::integer_sequence;
using std::integral_constant;
using std::is_array;
using std::is_array_v;
using std::is_base_of;
using std::is_base_of_v;
using std::is_class;
using std::is_class_v;
using std::is_const;
using std::is_const_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_floating_point;
using std::is_floating_point_v;
using std::is_function;
using std::is_function_v;
using std::is_integral;
using std::is_integral_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_reference_v;
using std::is_same;
using std::is_same_v;
using std::is_union;
using std::is_union_v;
using std::is_void;
using std::is_void_v;
using std::make_index_sequence;
using std::make_integer_sequence;
using std::make_tuple;
using std::move;
using std::remove_const;
using std::remove_const_t;
using std::remove_cv;
using std::remove_cv_t;
using std::remove_extent;
using std::remove_extent_t;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference;
using std::remove_reference_t;
using std::remove_volatile;
using std::remove_volatile_t;
using std::tie;
using std::true_type;
using std::tuple;
using std::tuple_cat;
using std::tuple_element;
using std::tuple_element_t;
using std::tuple_size;
using std::tuple_size_v;

template <typename T>
using remove_cvref = std::remove_cv<std::remove_reference_t<T>>;
template <typename T>
using remove_cvref_t = typename remove_cvref<T>::type;

template <size_t value>
using Int = std::integral_constant<size_t, value>;

// api: is_tuple | - | any | documented
template <typename T>
struct is_tuple : std::false_type {};
template <typename... T>
struct is_tuple<std::tuple<T...>> : std::true_type {};
template <typename T>
constexpr bool is_tuple_v = is_tuple<T>::value;

// The second operand is converted to the type of the first.
// api: max, min, abs | - | any number | documented
template <typename T, typename U>
constexpr T max(const T& a, const U& b) {
  return a < static_cast<T>(b) ? static_cast<T>(b) : a;
}
template <typename T, typename U>
constexpr T min(const T& a, const U& b) {
  return static_cast<T>(b) < a ? static_cast<T>(b) : a;
}
template <typename T>
constexpr T abs(const T& value) {
  return value < T(0) ? static_cast<T>(-value) : value;
}
// api: sqrt | - | half float | documented
template <typename T>
inline T sqrt(const T value) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, half>, "Std::sqrt takes float and half");
  return static_cast<T>(__builtin_sqrtf(static_cast<float>(value)));
}
// api: ceil_division, ceil_align | - | integers | documented
template <typename T, typename U>
constexpr auto ceil_division(const T a, const U b) {
  return (a + b - 1) / b;
}
template <typename T, typename U>
constexpr auto ceil_align(const T a, const U b) {
  return (a + b - 1) / b * b;
}

}  // namespace Std

// api: NumericLimits | - | integers, half, bfloat16_t, float | documented
template <typename T>
struct NumericLimits {
  static_assert(std::is_arithmetic_v<T> || std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>,
                "NumericLimits is of numbers");
  static T Max() { return isInteger ? extreme(true) : ofBits(0x7f7fffff, 0x7bff, 0x7f7f); }
  static T Lowest() { return isInteger ? extreme(false) : ofBits(0xff7fffff, 0xfbff, 0xff7f); }
  // The smallest normal number of a floating-point type.
  static T Min() { return isInteger ? extreme(false) : ofBits(0x00800000, 0x0400, 0x0080); }
  static T DeNormMin() { return ofBits(1, 1, 1); }
  static T Infinity() { return ofBits(0x7f800000, 0x7c00, 0x7f80); }
  static T NegativeInfinity() { return ofBits(0xff800000, 0xfc00, 0xff80); }
  static T QuietNaN() { return ofBits(0x7fc00000, 0x7e00, 0x7fc0); }
  static T SignalingNaN() { return ofBits(0x7fa00000, 0x7d00, 0x7fa0); }

 private:
  static constexpr bool isInteger = std::is_integral_v<T>;
  static constexpr T extreme(bool most) {
    if constexpr (!isInteger) return T();
    else if constexpr (std::is_signed_v<T>) {
      constexpr auto all = static_cast<std::make_unsigned_t<T>>(-1);
      return static_cast<T>(most ? all / 2 : all / 2 + 1);
    } else return static_cast<T>(most ? -1 : 0);
  }

  // Integers have none of these: 0.
  static T ofBits(uint32_t ofFloat, uint16_t ofHalf, uint16_t ofBrain) {
    T value{};
    const uint16_t narrow = std::is_same_v<T, half> ? ofHalf : ofBrain;
    if constexpr (std::is_same_v<T, float>) __builtin_memcpy(&value, &ofFloat, sizeof value);
    else if constexpr (!isInteger) __builtin_memcpy(static_cast<void*>(&value), &narrow, sizeof narrow);
    return value;
  }
};

}  // namespace AscendC
