// Shapes and strides as types: tuples of extents, which may be integers or Std::Int.
#pragma once

#include "std.h"

namespace AscendC {

// api: Shape, Stride, MakeShape, MakeStride | - | integers, Std::Int, nested tuples | documented
template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;
template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts&... t) {
  return {t...};
}
template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts&... t) {
  return {t...};
}

// api: Coord, MakeCoord | - | integers, Std::Int, nested tuples | documented
template <typename... Coords>
using Coord = Std::tuple<Coords...>;
template <typename... Ts>
constexpr Coord<Ts...> MakeCoord(const Ts&... t) {
  return {t...};
}

namespace npu_emu_detail {

template <typename T>
struct IsConstant : std::false_type {};
template <typename T, T value>
struct IsConstant<std::integral_constant<T, value>> : std::true_type {};

template <char operation, typename T, typename U>
constexpr auto calculate(T a, U b) {
  if constexpr (operation == '+') return a + b;
  else if constexpr (operation == '*') return a * b;
  else if constexpr (operation == '/') return a / b;
  else return a % b;
}

// Of two constants the result is one as well, by its type.
template <char operation, typename T, typename U>
constexpr auto combine(const T& a, const U& b) {
  if constexpr (IsConstant<T>::value && IsConstant<U>::value)
    return Std::Int<calculate<operation>(T::value, U::value)>{};
  else return calculate<operation>(a, b);
}

template <size_t first = 0, typename T>
constexpr auto productOf(const T& shape) {
  if constexpr (!Std::is_tuple_v<T>) return shape;
  else if constexpr (first == Std::tuple_size_v<T>) return Std::Int<1>{};
  else return combine<'*'>(productOf(Std::get<first>(shape)), productOf<first + 1>(shape));
}

// One coordinate for each dimension, or one for all of them, of which the first varies fastest and the last is open.
template <size_t first = 0, typename T, typename U, typename S>
constexpr auto indexOf(const T& coord, const U& shape, const S& stride) {
  if constexpr (!Std::is_tuple_v<U>) {
    static_assert(!Std::is_tuple_v<T>, "Crd2Idx: the coordinate is nested deeper than the shape");
    return combine<'*'>(coord, stride);
  } else {
    constexpr size_t rank = Std::tuple_size_v<U>;
    static_assert(rank == Std::tuple_size_v<S>, "Crd2Idx: shape and stride have the same rank");
    const auto& extent = Std::get<first>(shape);
    const auto& step = Std::get<first>(stride);
    if constexpr (Std::is_tuple_v<T>) {
      static_assert(rank == Std::tuple_size_v<T>, "Crd2Idx: coordinate and shape have the same rank");
      const auto here = indexOf(Std::get<first>(coord), extent, step);
      if constexpr (first + 1 == rank) return here;
      else return combine<'+'>(here, indexOf<first + 1>(coord, shape, stride));
    } else if constexpr (first + 1 == rank) {
      return indexOf(coord, extent, step);
    } else {
      const auto size = productOf(extent);
      return combine<'+'>(indexOf(combine<'%'>(coord, size), extent, step),
                          indexOf<first + 1>(combine<'/'>(coord, size), shape, stride));
    }
  }
}

}  // namespace npu_emu_detail

// api: Layout, MakeLayout | - | tuples | documented
template <typename T, typename U>
struct Layout {
  static_assert(Std::is_tuple_v<T> && Std::is_tuple_v<U>, "Layout takes a Shape and a Stride");

  constexpr Layout(const T& shape = {}, const U& stride = {}) : shape_(shape), stride_(stride) {}
  constexpr Layout& layout() { return *this; }
  constexpr const Layout& layout() const { return *this; }
  template <size_t... I>
  constexpr auto GetShape() const {
    return of<I...>(shape_);
  }
  template <size_t... I>
  constexpr auto GetStride() const {
    return of<I...>(stride_);
  }
  template <typename S>
  constexpr auto operator()(const S& coord) const {
    return npu_emu_detail::indexOf(coord, shape_, stride_);
  }

 private:
  template <size_t... I, typename Tuple>
  static constexpr auto of(const Tuple& tuple) {
    if constexpr (sizeof...(I) == 0) return tuple;
    else return Std::make_tuple(Std::get<I>(tuple)...);
  }

  T shape_;
  U stride_;
};
template <typename T, typename U>
constexpr auto MakeLayout(const T& shape, const U& stride) {
  return Layout<T, U>(shape, stride);
}

// api: Crd2Idx | - | integers, Std::Int, nested tuples | documented
template <typename T, typename U, typename S>
constexpr auto Crd2Idx(const T& coord, const U& shape, const S& stride) {
  return npu_emu_detail::indexOf(coord, shape, stride);
}
template <typename T, typename U, typename S>
constexpr auto Crd2Idx(const T& coord, const Layout<U, S>& layout) {
  return layout(coord);
}

// api: is_layout | - | any | documented
template <typename T>
struct is_layout : std::false_type {};
template <typename T, typename U>
struct is_layout<Layout<T, U>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

}  // namespace AscendC
