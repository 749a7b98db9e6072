// What is wrong with the arguments of a helper is printed, and the helper leaves its results as they were.
#pragma once

#pragma GCC visibility push(default)

namespace npu_emu::host {

void logError(const char* node, const char* format, ...);

inline bool accepts(const char* helper, bool holds, const char* rule) {
  if (!holds) logError(helper, "%s", rule);
  return holds;
}

}  // namespace npu_emu::host

#pragma GCC visibility pop
