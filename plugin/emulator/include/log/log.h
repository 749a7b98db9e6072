// Logging macros of operator repositories. Errors are printed (and kept with the result), the rest is dropped, but its
// arguments are still checked by the compiler.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "graph/ge_error_codes.h"

#pragma GCC visibility push(default)

namespace npu_emu::host {
// Printed as `error [node] text`. `node` may be nullptr.
void logError(const char* node, const char* format, ...);
inline const char* nodeName(const char* name) { return name; }
inline const char* nodeName(const std::string& name) { return name.c_str(); }
inline const char* nodeName(std::nullptr_t) { return nullptr; }
template <class Context>
auto nodeName(const Context* context) -> decltype(context->GetNodeName()) {
  return context == nullptr ? nullptr : context->GetNodeName();
}
}  // namespace npu_emu::host

#pragma GCC visibility pop

#define NPU_EMU_LOG_ERROR(node, ...) ::npu_emu::host::logError(::npu_emu::host::nodeName(node), __VA_ARGS__)
#define NPU_EMU_LOG_DROP(node, ...)           \
  do {                                        \
    if (false) NPU_EMU_LOG_ERROR(node, __VA_ARGS__); \
  } while (0)

#ifndef OP_LOGD
#define OP_LOGD(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#endif
#ifndef OP_LOGI
#define OP_LOGI(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#endif
#ifndef OP_LOGW
#define OP_LOGW(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#endif
#ifndef OP_EVENT
#define OP_EVENT(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#endif
#ifndef OP_LOGE
#define OP_LOGE(node, ...) NPU_EMU_LOG_ERROR(node, __VA_ARGS__)
#endif
#ifndef OPS_LOG_D
#define OPS_LOG_D(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#define OPS_LOG_I(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#define OPS_LOG_W(node, ...) NPU_EMU_LOG_DROP(node, __VA_ARGS__)
#define OPS_LOG_E(node, ...) NPU_EMU_LOG_ERROR(node, __VA_ARGS__)
#endif
#ifndef OP_LOGE_IF
#define OP_LOGE_IF(condition, result, node, ...) \
  do {                                           \
    if (condition) {                             \
      OP_LOGE(node, __VA_ARGS__);                \
      return result;                             \
    }                                            \
  } while (0)
#endif
#ifndef VECTOR_INNER_ERR_REPORT_TILIING
#define VECTOR_INNER_ERR_REPORT_TILIING(node, ...) NPU_EMU_LOG_ERROR(node, __VA_ARGS__)
#endif
#ifndef CUBE_INNER_ERR_REPORT
#define CUBE_INNER_ERR_REPORT(node, ...) NPU_EMU_LOG_ERROR(node, __VA_ARGS__)
#endif
#ifndef OP_TILING_CHECK
#define OP_TILING_CHECK(condition, log, action) \
  do {                                          \
    if (condition) {                            \
      log;                                      \
      action;                                   \
    }                                           \
  } while (0)
#endif
#ifndef OP_CHECK_IF
#define OP_CHECK_IF(condition, log, action) \
  do {                                      \
    if (condition) {                        \
      log;                                  \
      action;                               \
    }                                       \
  } while (0)
#endif
#ifndef OPS_ERR_IF
#define OPS_ERR_IF(condition, log, action) OP_CHECK_IF(condition, log, action)
#endif
#ifndef OPS_CHECK_NULL_WITH_CONTEXT
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer)          \
  do {                                                         \
    if ((pointer) == nullptr) {                                \
      NPU_EMU_LOG_ERROR(context, "%s is a null pointer", #pointer); \
      return ::ge::GRAPH_FAILED;                               \
    }                                                          \
  } while (0)
#endif
#ifndef OP_CHECK_NULL_WITH_CONTEXT
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) OPS_CHECK_NULL_WITH_CONTEXT(context, pointer)
#endif
