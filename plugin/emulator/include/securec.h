// The bounds-checked memory functions that host code uses. 0: done.
#pragma once

#include <cstddef>
#include <cstring>

using errno_t = int;
constexpr errno_t EOK = 0;

// Copies nothing when `count` bytes do not fit.
// api: memcpy_s, memset_s | - | - | inferred: those of the C library with bounds
inline errno_t memcpy_s(void* to, size_t capacity, const void* from, size_t count) {
  if (to == nullptr || from == nullptr || count > capacity) return 22;  // EINVAL
  std::memcpy(to, from, count);
  return EOK;
}

inline errno_t memset_s(void* to, size_t capacity, int value, size_t count) {
  if (to == nullptr || count > capacity) return 22;  // EINVAL
  std::memset(to, value, count);
  return EOK;
}
