// The bounds-checked functions on memory and text that host code uses. 0: done; functions that print give a number of
// characters, or -1.
#pragma once

#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstring>

// api: EINVAL_AND_RESET, ERANGE_AND_RESET, EOVERLAP_AND_RESET, SECUREC_MEM_MAX_LEN, SECUREC_STRING_MAX_LEN | - | - |
//   inferred: those of the C library with bounds
using errno_t = int;
constexpr errno_t EOK = 0;
#ifndef EINVAL_AND_RESET
#define EINVAL_AND_RESET (EINVAL | 128)
#define ERANGE_AND_RESET (ERANGE | 128)
#define EOVERLAP_AND_RESET 182
#endif
#ifndef SECUREC_MEM_MAX_LEN
#define SECUREC_MEM_MAX_LEN 0x7fffffffUL
#define SECUREC_STRING_MAX_LEN 0x7fffffffUL
#endif

// Copies nothing when `count` bytes do not fit.
// api: memcpy_s, memmove_s, memset_s, strcpy_s, strncpy_s, strcat_s, strncat_s, sprintf_s, snprintf_s, vsprintf_s,
//   vsnprintf_s | - | - | inferred: those of the C library with bounds
inline errno_t memcpy_s(void* to, size_t capacity, const void* from, size_t count) {
  if (to == nullptr || from == nullptr || count > capacity) return EINVAL;
  std::memcpy(to, from, count);
  return EOK;
}

inline errno_t memmove_s(void* to, size_t capacity, const void* from, size_t count) {
  if (to == nullptr || from == nullptr || count > capacity) return EINVAL;
  std::memmove(to, from, count);
  return EOK;
}

inline errno_t memset_s(void* to, size_t capacity, int value, size_t count) {
  if (to == nullptr || count > capacity) return EINVAL;
  std::memset(to, value, count);
  return EOK;
}

// At most `count` characters. A text that does not fit is none.
inline errno_t strncpy_s(char* to, size_t capacity, const char* from, size_t count) {
  if (to == nullptr || capacity == 0) return EINVAL;
  to[0] = '\0';
  if (from == nullptr) return EINVAL_AND_RESET;
  const size_t length = strnlen(from, count);
  if (length >= capacity) return ERANGE_AND_RESET;
  std::memcpy(to, from, length);
  to[length] = '\0';
  return EOK;
}

inline errno_t strcpy_s(char* to, size_t capacity, const char* from) {
  return strncpy_s(to, capacity, from, SECUREC_STRING_MAX_LEN);
}

inline errno_t strncat_s(char* to, size_t capacity, const char* from, size_t count) {
  if (to == nullptr || capacity == 0) return EINVAL;
  const size_t length = strnlen(to, capacity);
  if (length == capacity) return EINVAL;
  return strncpy_s(to + length, capacity - length, from, count);
}

inline errno_t strcat_s(char* to, size_t capacity, const char* from) {
  return strncat_s(to, capacity, from, SECUREC_STRING_MAX_LEN);
}

// `count` is how many characters may be written at most; one more is for the end.
inline int vsnprintf_s(char* to, size_t capacity, size_t count, const char* format, va_list arguments) {
  if (to == nullptr || format == nullptr || capacity == 0) return -1;
  const size_t room = count < capacity ? count + 1 : capacity;
  const int written = std::vsnprintf(to, room, format, arguments);
  return written >= 0 && static_cast<size_t>(written) < room ? written : -1;
}

inline int vsprintf_s(char* to, size_t capacity, const char* format, va_list arguments) {
  return vsnprintf_s(to, capacity, capacity, format, arguments);
}

__attribute__((format(printf, 4, 5))) inline int snprintf_s(char* to, size_t capacity, size_t count, const char* format,
                                                            ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf_s(to, capacity, count, format, arguments);
  va_end(arguments);
  return written;
}

__attribute__((format(printf, 3, 4))) inline int sprintf_s(char* to, size_t capacity, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int written = vsnprintf_s(to, capacity, capacity, format, arguments);
  va_end(arguments);
  return written;
}
