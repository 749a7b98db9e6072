// The Ascend C device API, as a kernel includes it.
#pragma once

#ifndef __CCE_AICORE__
#error "kernel_operator.h: No such file or directory: host code does not find the headers of kernels"
#endif

// Code of a kernel that is put into a function of the headers would cost nothing: where a function is inlined is for the device's
// compiler to know. Who takes the word back is told so (plugin/toolchain/bitcode.ts).
#define always_inline unused
#define __always_inline__ __unused__

// Its macros have words that host_only.h takes away.
#include <stdarg.h>

#include "ascendc/types.h"

// Findings name lines of the kernel; debug information about these headers would only make each kernel compile slower.
#ifdef __clang__
#pragma clang attribute push(__attribute__((nodebug)), apply_to = hasType(functionType))
// They take what their instructions take. What is not in these files, and has this attribute all the same, is a function of
// theirs that a kernel has written anew (plugin/toolchain/bitcode.ts).
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
#endif

// Scalar functions of the device's compiler: kernels call them without including anything, and the C library is not at hand.
// A function of the same name that a kernel defines or includes is preferred: these have a parameter pack that it has not.
// api: max, min | S | any | inferred: operators call them without including anything
template <typename T, typename... None, typename = std::enable_if_t<sizeof...(None) == 0>>
constexpr T max(const T& a, const T& b, const None&...) {
  return a < b ? b : a;
}
template <typename T, typename... None, typename = std::enable_if_t<sizeof...(None) == 0>>
constexpr T min(const T& a, const T& b, const None&...) {
  return b < a ? b : a;
}

// api: abs, sqrt | S | numbers | inferred: operators call them without including anything
template <typename T, typename... None, typename = std::enable_if_t<std::is_arithmetic_v<T> && sizeof...(None) == 0>>
constexpr T abs(T a, const None&...) {
  return a < T(0) ? static_cast<T>(-a) : a;
}
template <typename... None, typename = std::enable_if_t<sizeof...(None) == 0>>
inline half abs(half a, const None&...) {
  return a < half(0) ? -a : a;
}
template <typename T, typename... None, typename = std::enable_if_t<std::is_arithmetic_v<T> && sizeof...(None) == 0>>
inline float sqrt(T a, const None&...) {
  return __builtin_sqrtf(static_cast<float>(a));
}
template <typename... None, typename = std::enable_if_t<sizeof...(None) == 0>>
inline half sqrt(half a, const None&...) {
  return static_cast<half>(__builtin_sqrtf(static_cast<float>(a)));
}

#include "ascendc/constants.h"
#include "ascendc/cube.h"
#include "ascendc/data_copy.h"
#include "ascendc/entry.h"
#include "ascendc/graph_constants.h"
#include "ascendc/instances.h"
#include "ascendc/intrinsics.h"
#include "ascendc/intrinsics_copy.h"
#include "ascendc/intrinsics_vector.h"
#include "ascendc/layout.h"
#include "ascendc/library.h"
#include "ascendc/library_activation.h"
#include "ascendc/library_broadcast.h"
#include "ascendc/library_fill.h"
#include "ascendc/library_math.h"
#include "ascendc/library_rearrange.h"
#include "ascendc/library_reduce.h"
#include "ascendc/library_select.h"
#include "ascendc/library_transdata.h"
#include "ascendc/list_tensor.h"
#include "ascendc/mask.h"
#include "ascendc/matmul.h"
#include "ascendc/normalization.h"
#include "ascendc/normalization_gradient.h"
#include "ascendc/normalization_group.h"
#include "ascendc/pipe.h"
#include "ascendc/quantization.h"
#include "ascendc/std.h"
#include "ascendc/scalar.h"
#include "ascendc/softmax.h"
#include "ascendc/sync.h"
#include "ascendc/system.h"
#include "ascendc/template_entry.h"
#include "ascendc/tensor.h"
#include "ascendc/tensor_operators.h"
#include "ascendc/vector_binary.h"
#include "ascendc/vector_cast.h"
#include "ascendc/vector_compare.h"
#include "ascendc/vector_compound.h"
#include "ascendc/vector_gather.h"
#include "ascendc/vector_interpolation.h"
#include "ascendc/vector_reduce.h"
#include "ascendc/vector_scalar.h"
#include "ascendc/vector_sort.h"
#include "ascendc/vector_transpose.h"
#include "ascendc/vector_unary.h"

#ifdef __clang__
#pragma clang attribute pop
#pragma clang attribute pop
#endif

// What the compiler of the device calls the types; those of clang and g++, which have the same names, compute nothing.
#define __fp16 half
#define __bf16 bfloat16_t
