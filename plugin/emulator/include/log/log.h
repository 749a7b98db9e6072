// Logging macros of operator repositories. None of ours is defined by another one that a repository may define: theirs then
// name ours, and the two would end up in each other. Errors are printed (and kept with the result), the rest is dropped, but its
// arguments are still checked by the compiler.
#pragma once

#include <cinttypes>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "base/err_msg.h"
#include "exe_graph/runtime/shape.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"
#include "op_common/op_host/util/opbase_export.h"

#pragma GCC visibility push(default)

namespace npu_emu::host {
// One part of a message, from text or a number.
class MessagePart {
 public:
  MessagePart(const char* text) : text_(text == nullptr ? "nil" : text) {}
  MessagePart(const std::string& text) : text_(text) {}
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  MessagePart(T value) : text_(std::to_string(value)) {}
  const std::string& Text() const { return text_; }

 private:
  std::string text_;
};
// Printed as `error [node] invalid <what>: part, part, …`.
void logInvalid(const char* node, const char* what, std::initializer_list<MessagePart> parts);
}  // namespace npu_emu::host

namespace Ops {
namespace Base {
// Names and extents for messages.
// api: ToString | - | - | inferred: no public reference
std::string ToString(ge::DataType type);
std::string ToString(ge::Format format);
std::string ToString(const gert::Shape& shape);
std::string ToString(const std::vector<const gert::Shape*>& shapes);
}  // namespace Base
}  // namespace Ops

#pragma GCC visibility pop

// api: OP_LOG*, OP_EVENT, OPS_LOG_*, OP_TILING_CHECK, OP_CHECK_*, OP_CHECK, OPS_ERR_IF, OPS_CHECK_NULL_WITH_CONTEXT,
//   OPS_REPORT_*, VECTOR_INNER_ERR_REPORT_TILIING, VECTOR_INFER_SHAPE_INNER_ERR_REPORT, CUBE_INNER_ERR_REPORT, likely,
//   unlikely | - | - | inferred: only errors are printed
#ifndef OP_LOGD
#define OP_LOGD(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#endif
#ifndef OP_LOGI
#define OP_LOGI(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#endif
#ifndef OP_LOGW
#define OP_LOGW(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#endif
#ifndef OP_EVENT
#define OP_EVENT(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#endif
#ifndef OP_LOGE
#define OP_LOGE(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef OPS_LOG_D
#define OPS_LOG_D(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#define OPS_LOG_I(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#define OPS_LOG_W(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#define OPS_LOG_E(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef OPS_LOG_E_WITHOUT_REPORT
#define OPS_LOG_E_WITHOUT_REPORT(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef OPS_LOG_EVENT
#define OPS_LOG_EVENT(node, ...) NPU_EMU_LOG_DROP(node, ##__VA_ARGS__)
#endif
#ifndef OP_LOGE_IF
#define OP_LOGE_IF(condition, result, node, ...) \
  do {                                           \
    if (condition) {                             \
      NPU_EMU_LOG_ERROR(node, __VA_ARGS__);      \
      return result;                             \
    }                                            \
  } while (0)
#endif
#ifndef VECTOR_INNER_ERR_REPORT_TILIING
#define VECTOR_INNER_ERR_REPORT_TILIING(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef CUBE_INNER_ERR_REPORT
#define CUBE_INNER_ERR_REPORT(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
// api: CheckLogLevel, AlogCheckDebugLevel | - | - | inferred: no level is on
enum { DLOG_DEBUG, DLOG_INFO, DLOG_WARN, DLOG_ERROR };
enum { OP = 63 };
inline int CheckLogLevel(int, int) { return 0; }
inline int AlogCheckDebugLevel(unsigned int, int) { return 0; }
// api: OpLogSub | - | - | inferred: as the macros of its level
#ifndef OpLogSub
#define OpLogSub(module, level, node, ...)                                     \
  do {                                                                         \
    if (int(level) == int(DLOG_ERROR)) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__); \
  } while (0)
#endif
// Statements as they are: operators leave out the semicolon, or break out of a loop of their own.
// api: OPS_CHECK, OPS_LOG_D_IF, OPS_LOG_I_IF, OPS_LOG_W_IF, OPS_LOG_E_IF, OPS_LOG_E_IF_NULL | - | - | inferred: no
//   public reference
#define NPU_EMU_LOG_CHECK(condition, log, action) \
  if (condition) {                                \
    log;                                          \
    action;                                       \
  }
#ifndef OPS_LOG_E_IF_NULL
#define OPS_LOG_E_IF_NULL(context, pointer, action) \
  NPU_EMU_LOG_CHECK((pointer) == nullptr, NPU_EMU_LOG_ERROR(context, "%s is null", #pointer), action)
#endif
#ifndef OPS_LOG_E_IF
#define OPS_LOG_D_IF(condition, node, action, ...) \
  NPU_EMU_LOG_CHECK(condition, NPU_EMU_LOG_DROP(node, __VA_ARGS__), action)
#define OPS_LOG_I_IF(condition, node, action, ...) \
  NPU_EMU_LOG_CHECK(condition, NPU_EMU_LOG_DROP(node, __VA_ARGS__), action)
#define OPS_LOG_W_IF(condition, node, action, ...) \
  NPU_EMU_LOG_CHECK(condition, NPU_EMU_LOG_DROP(node, __VA_ARGS__), action)
#define OPS_LOG_E_IF(condition, node, action, ...) \
  NPU_EMU_LOG_CHECK(condition, NPU_EMU_LOG_ERROR(node, __VA_ARGS__), action)
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
#define OPS_ERR_IF(condition, log, action) NPU_EMU_LOG_CHECK(condition, log, action)
#endif
#ifndef OPS_CHECK
#define OPS_CHECK(condition, log, action) NPU_EMU_LOG_CHECK(condition, log, action)
#endif
#define NPU_EMU_LOG_NULL(context, pointer)                          \
  do {                                                              \
    if ((pointer) == nullptr) {                                     \
      NPU_EMU_LOG_ERROR(context, "%s is a null pointer", #pointer); \
      return ::ge::GRAPH_FAILED;                                    \
    }                                                               \
  } while (0)
#ifndef OPS_CHECK_NULL_WITH_CONTEXT
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) NPU_EMU_LOG_NULL(context, pointer)
#endif
#ifndef OP_CHECK_NULL_WITH_CONTEXT
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) NPU_EMU_LOG_NULL(context, pointer)
#endif

#define NPU_EMU_LOG_INVALID(node, what, ...) \
  ::npu_emu::host::logInvalid(::npu_emu::host::nodeName(node), what, {__VA_ARGS__})
#ifndef OP_LOGE_FOR_INVALID_VALUE
#define OP_LOGE_FOR_INVALID_SHAPE(node, ...) NPU_EMU_LOG_INVALID(node, "shape", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "shape", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "shapes", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(node, ...) NPU_EMU_LOG_INVALID(node, "rank", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "rank", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "ranks", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(node, ...) NPU_EMU_LOG_INVALID(node, "number of elements", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(node, ...) \
  NPU_EMU_LOG_INVALID(node, "number of elements", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(node, ...) \
  NPU_EMU_LOG_INVALID(node, "numbers of elements", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT(node, ...) NPU_EMU_LOG_INVALID(node, "format", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "format", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "formats", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE(node, ...) NPU_EMU_LOG_INVALID(node, "dtype", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "dtype", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "dtypes", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_TENSORNUM(node, ...) NPU_EMU_LOG_INVALID(node, "number of tensors", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(node, ...) \
  NPU_EMU_LOG_INVALID(node, "numbers of tensors", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE(node, ...) NPU_EMU_LOG_INVALID(node, "value", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "value", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "values", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_LISTSIZE(node, ...) NPU_EMU_LOG_INVALID(node, "list length", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "list length", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_STRIDE(node, ...) NPU_EMU_LOG_INVALID(node, "stride", __VA_ARGS__)
#define OP_LOGE_FOR_INVALID_ARGUMENT_WITH_REASON(node, ...) NPU_EMU_LOG_INVALID(node, "argument", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPE(node, ...) NPU_EMU_LOG_INVALID(node, "input shape", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_ATTR(node, ...) NPU_EMU_LOG_INVALID(node, "attribute", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(node, ...) NPU_EMU_LOG_INVALID(node, "attribute size", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT(node, ...) NPU_EMU_LOG_INVALID(node, "input", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_SHAPESIZE(node, ...) NPU_EMU_LOG_INVALID(node, "number of elements", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_FORMAT(node, ...) NPU_EMU_LOG_INVALID(node, "input format", __VA_ARGS__)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(node, ...) NPU_EMU_LOG_INVALID(node, "input dtype", __VA_ARGS__)
#endif
#ifndef OP_LOGE_WITHOUT_REPORT
#define OP_LOGE_WITHOUT_REPORT(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef OP_LOGW_IF
#define OP_LOGW_IF(condition, node, ...)                \
  do {                                                  \
    if (condition) NPU_EMU_LOG_DROP(node, __VA_ARGS__); \
  } while (0)
#endif
#ifndef OP_CHECK
#define OP_CHECK(condition, log, action) NPU_EMU_LOG_CHECK(condition, log, action)
#endif
#ifndef VECTOR_INFER_SHAPE_INNER_ERR_REPORT
#define VECTOR_INFER_SHAPE_INNER_ERR_REPORT(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef OPS_REPORT_VECTOR_INNER_ERR
#define OPS_REPORT_VECTOR_INNER_ERR(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(node, ...) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__)
#endif
#ifndef likely
#define likely(condition) __builtin_expect(static_cast<bool>(condition), 1)
#endif
#ifndef unlikely
#define unlikely(condition) __builtin_expect(static_cast<bool>(condition), 0)
#endif
