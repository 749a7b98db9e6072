// How a message is printed, and how one is dropped.
#pragma once

#include <cstddef>
#include <string>

#pragma GCC visibility push(default)

namespace npu_emu::host {
// Printed as `error [node] text`. `node` may be nullptr.
void logError(const char* node, const char* format, ...);
// A message alone.
inline void logError(const char* text) { logError(nullptr, "%s", text); }
inline const char* nodeName(const char* name) { return name; }
inline const char* nodeName(const std::string& name) { return name.c_str(); }
inline const char* nodeName(std::nullptr_t) { return nullptr; }
template <class Context>
auto nodeName(const Context* context) -> decltype(context->GetNodeName()) {
  return context == nullptr ? nullptr : context->GetNodeName();
}
}  // namespace npu_emu::host

#pragma GCC visibility pop

#define NPU_EMU_LOG_ERROR(node, ...) ::npu_emu::host::logError(::npu_emu::host::nodeName(node), ##__VA_ARGS__)
#define NPU_EMU_LOG_DROP(node, ...)                    \
  do {                                                 \
    if (false) NPU_EMU_LOG_ERROR(node, ##__VA_ARGS__); \
  } while (0)
