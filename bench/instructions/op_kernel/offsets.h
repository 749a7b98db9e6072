// Byte offsets into 8192 elements that jump about, for gathering: of whole blocks where the elements are uint32_t.
#pragma once

#include <cstdint>
#include <type_traits>

template <typename S>
constexpr uint32_t offsetOf(int i) {
  uint32_t element = uint32_t(i) * 5 % 8192;
  return std::is_same_v<S, uint32_t> ? element % 1024 * 32 : element * uint32_t(sizeof(S));
}
