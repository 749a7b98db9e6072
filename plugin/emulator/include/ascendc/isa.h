// The vector instructions, one declaration each: name, legal types, cost and element rule. Everything else (walking the
// operands, bounds, alignment, clock) is applied by the runtime to all of them alike.
//
// Element rules see half and bfloat16_t as float; the runtime rounds the result once. Costs are cycles per 256-byte
// repeat for 16-bit and 32-bit elements and the tail until a dependent instruction may start.
#pragma once

#include "types.h"

namespace npu_emu {

template <typename... T>
struct Types {
  template <typename U>
  static constexpr bool has = (std::is_same_v<T, U> || ...);
};

// `c16`, `c32`: cycles per repeat; `tail`: cycles from the last repeat to visibility.
struct Cost {
  float c16, c32;
  uint16_t tail;
};

// The type an element rule computes in.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, half> || std::is_same_v<T, bfloat16_t>, float, T>;

namespace isa {

using Arithmetic = Types<int16_t, half, int32_t, float>;
using Floating = Types<half, float>;
using Words16 = Types<int16_t, uint16_t>;
using Comparable = Types<half, float, int32_t>;
using Fill = Types<int16_t, uint16_t, half, bfloat16_t, int32_t, uint32_t, float>;

// Of the compiler: kernels see these headers, and the device has no C library. Narrow types are computed in double where
// float would round before they do.
inline float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float absolute(float a) { return __builtin_fabsf(a); }
inline double absolute(double a) { return __builtin_fabs(a); }
inline float squareRoot(float a) { return __builtin_sqrtf(a); }
inline double squareRoot(double a) { return __builtin_sqrt(a); }

// Integer arithmetic wraps modulo 2^n.
template <typename T, typename F>
constexpr T wrapping(T a, T b, F f) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(f(static_cast<uint64_t>(a), static_cast<uint64_t>(b))));
  } else {
    return f(a, b);
  }
}

constexpr Cost simpleCost{1, 1, 19};
constexpr Cost exponentialCost{4, 2, 24};
constexpr Cost squareRootCost{4, 2, 26};
constexpr Cost divisionCost{4, 4, 25};

// Two sources.

struct Add {
  static constexpr const char* name = "Add";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    return wrapping(a, b, [](auto x, auto y) { return x + y; });
  }
};

struct Sub {
  static constexpr const char* name = "Sub";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    return wrapping(a, b, [](auto x, auto y) { return x - y; });
  }
};

struct Mul {
  static constexpr const char* name = "Mul";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    return wrapping(a, b, [](auto x, auto y) { return x * y; });
  }
};

struct Div {
  static constexpr const char* name = "Div";
  using types = Floating;
  static constexpr Cost cost = divisionCost;
  template <typename T>
  static T element(T a, T b) {
    return a / b;
  }
};

// NaN wins, and +0 is greater than -0.
struct Max {
  static constexpr const char* name = "Max";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      T greater = a > b ? a : b;
      greater = a != a ? a : greater;
      return a == T(0) && b == T(0) ? a + b : greater;
    } else {
      return a > b ? a : b;
    }
  }
};

struct Min {
  static constexpr const char* name = "Min";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      T less = a < b ? a : b;
      less = a != a ? a : less;
      return a == T(0) && b == T(0) ? -(-a - b) : less;
    } else {
      return a < b ? a : b;
    }
  }
};

struct And {
  static constexpr const char* name = "And";
  using types = Words16;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    return static_cast<T>(a & b);
  }
};

struct Or {
  static constexpr const char* name = "Or";
  using types = Words16;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    return static_cast<T>(a | b);
  }
};

struct AddRelu {
  static constexpr const char* name = "AddRelu";
  using types = Types<int16_t, half, float>;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    T sum = Add::element(a, b);
    return sum <= T(0) ? T(0) : sum;
  }
};

struct SubRelu {
  static constexpr const char* name = "SubRelu";
  using types = Types<int16_t, half, float>;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T b) {
    T difference = Sub::element(a, b);
    return difference <= T(0) ? T(0) : difference;
  }
};

// One source.

struct Abs {
  static constexpr const char* name = "Abs";
  using types = Floating;
  static constexpr Cost cost{1, 1, 17};
  template <typename T>
  static T element(T a) {
    return absolute(a);
  }
};

struct Exp {
  static constexpr const char* name = "Exp";
  using types = Floating;
  static constexpr Cost cost = exponentialCost;
  template <typename T>
  static T element(T a);
};

struct Ln {
  static constexpr const char* name = "Ln";
  using types = Floating;
  static constexpr Cost cost = exponentialCost;
  template <typename T>
  static T element(T a);
};

struct Sqrt {
  static constexpr const char* name = "Sqrt";
  using types = Floating;
  static constexpr Cost cost = squareRootCost;
  template <typename T>
  static T element(T a) {
    return squareRoot(a);
  }
};

// A table look-up on the device: relative error up to 3.0e-3. Fitted to published sample values.
struct Rsqrt {
  static constexpr const char* name = "Rsqrt";
  using types = Floating;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a);
};

// A table look-up on the device: relative error up to 2.9e-3. Fitted to published sample values.
struct Reciprocal {
  static constexpr const char* name = "Reciprocal";
  using types = Floating;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a);
};

struct Relu {
  static constexpr const char* name = "Relu";
  using types = Types<half, int32_t, float>;
  static constexpr Cost cost{1, 1, 17};
  template <typename T>
  static T element(T a) {
    return a <= T(0) ? T(0) : a;
  }
};

struct Not {
  static constexpr const char* name = "Not";
  using types = Words16;
  static constexpr Cost cost{1, 1, 17};
  template <typename T>
  static T element(T a) {
    return static_cast<T>(~a);
  }
};

// A source and a scalar.

struct Adds {
  static constexpr const char* name = "Adds";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T scalar) {
    return Add::element(a, scalar);
  }
};

struct Muls {
  static constexpr const char* name = "Muls";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T scalar) {
    return Mul::element(a, scalar);
  }
};

struct Maxs {
  static constexpr const char* name = "Maxs";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T scalar) {
    return Max::element(a, scalar);
  }
};

struct Mins {
  static constexpr const char* name = "Mins";
  using types = Arithmetic;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T scalar) {
    return Min::element(a, scalar);
  }
};

struct LeakyRelu {
  static constexpr const char* name = "LeakyRelu";
  using types = Floating;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T slope) {
    return a >= T(0) ? a : a * slope;
  }
};

struct ShiftLeft {
  static constexpr const char* name = "ShiftLeft";
  using types = Types<int16_t, uint16_t, int32_t, uint32_t>;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T amount) {
    using U = std::make_unsigned_t<T>;
    return static_cast<U>(amount) >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<U>(static_cast<U>(a) << amount));
  }
};

// Arithmetic for signed, logical for unsigned types.
struct ShiftRight {
  static constexpr const char* name = "ShiftRight";
  using types = Types<int16_t, uint16_t, int32_t, uint32_t>;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T amount) {
    using U = std::make_unsigned_t<T>;
    int width = sizeof(T) * 8;
    int by = static_cast<U>(amount) >= static_cast<U>(width) ? width - 1 : static_cast<int>(amount);
    if (std::is_unsigned_v<T> && static_cast<U>(amount) >= static_cast<U>(width)) return T(0);
    return static_cast<T>(a >> by);
  }
};

// The highest of the bits that are lost is added.
struct ShiftRightRounded {
  static constexpr const char* name = "ShiftRight";
  using types = Types<int16_t, int32_t>;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T amount) {
    if (amount == 0) return a;
    return static_cast<T>(ShiftRight::element(a, amount) + (static_cast<int64_t>(a) >> (amount - 1) & 1));
  }
};

// Accumulating: the destination is a source too.

struct MulAddDst {
  static constexpr const char* name = "MulAddDst";
  using types = Floating;
  static constexpr Cost cost{3, 3, 19};
  template <typename T>
  static T element(T a, T b, T dst) {
    return fma(a, b, dst);
  }
};

// dst = a * dst + b
struct FusedMulAdd {
  static constexpr const char* name = "FusedMulAdd";
  using types = Floating;
  static constexpr Cost cost{2, 2, 19};
  template <typename T>
  static T element(T a, T b, T dst) {
    return fma(a, dst, b);
  }
};

struct FusedMulAddRelu {
  static constexpr const char* name = "FusedMulAddRelu";
  using types = Floating;
  static constexpr Cost cost{2, 2, 19};
  template <typename T>
  static T element(T a, T b, T dst) {
    T sum = fma(a, dst, b);
    return sum <= T(0) ? T(0) : sum;
  }
};

// dst += scalar * a
struct Axpy {
  static constexpr const char* name = "Axpy";
  using types = Floating;
  static constexpr Cost cost = simpleCost;
  template <typename T>
  static T element(T a, T scalar, T dst) {
    return fma(a, scalar, dst);
  }
};

// Two sources, and a result of another type.

struct MulCast {
  static constexpr const char* name = "MulCast";
  template <typename D, typename S>
  static constexpr bool supports = std::is_same_v<S, half> && Types<int8_t, uint8_t>::has<D>;
  static constexpr Cost cost = simpleCost;
  static float element(float a, float b) { return a * b; }
};

struct AddReluCast {
  static constexpr const char* name = "AddReluCast";
  template <typename D, typename S>
  static constexpr bool supports = (Types<half, int16_t>::has<S> && std::is_same_v<D, int8_t>) ||
                                   (std::is_same_v<S, float> && std::is_same_v<D, half>);
  static constexpr Cost cost = simpleCost;
  static float element(float a, float b) { return AddRelu::element(a, b); }
};

struct SubReluCast {
  static constexpr const char* name = "SubReluCast";
  template <typename D, typename S>
  static constexpr bool supports = AddReluCast::supports<D, S>;
  static constexpr Cost cost = simpleCost;
  static float element(float a, float b) { return SubRelu::element(a, b); }
};

constexpr Cost dequantCost{7, 7, 19};

}  // namespace isa

// Destination and source types that Cast knows on Atlas A2.
template <typename D, typename S>
constexpr bool castIsLegal =
    (std::is_same_v<S, half> && Types<int4b_t, int8_t, uint8_t, int16_t, int32_t, float>::has<D>) ||
    (std::is_same_v<S, int4b_t> && std::is_same_v<D, half>) ||
    (std::is_same_v<S, float> && Types<half, bfloat16_t, int16_t, int32_t, int64_t, float>::has<D>) ||
    (std::is_same_v<S, bfloat16_t> && Types<float, int32_t>::has<D>) ||
    (Types<int8_t, uint8_t>::has<S> && std::is_same_v<D, half>) ||
    (std::is_same_v<S, int16_t> && Types<half, float>::has<D>) ||
    (std::is_same_v<S, int32_t> && Types<int16_t, half, float, int64_t>::has<D>) ||
    (std::is_same_v<S, int64_t> && Types<int32_t, float>::has<D>);

}  // namespace npu_emu
