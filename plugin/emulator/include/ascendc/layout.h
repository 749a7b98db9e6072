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

// Without the map from coordinates to an index.
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

// api: is_layout | - | any | documented
template <typename T>
struct is_layout : std::false_type {};
template <typename T, typename U>
struct is_layout<Layout<T, U>> : std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

}  // namespace AscendC
