// The log of the system: its levels are off, and what is written to it is dropped.
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "log/log.h"

// api: dlog_debug, dlog_info, dlog_warn, dlog_error, dlog_event, DlogRecord | - | - | inferred: only errors are printed
#ifndef dlog_error
#define dlog_error(module, ...) NPU_EMU_LOG_ERROR(nullptr, ##__VA_ARGS__)
#define dlog_warn(module, ...) NPU_EMU_LOG_DROP(nullptr, ##__VA_ARGS__)
#define dlog_info(module, ...) NPU_EMU_LOG_DROP(nullptr, ##__VA_ARGS__)
#define dlog_debug(module, ...) NPU_EMU_LOG_DROP(nullptr, ##__VA_ARGS__)
#define dlog_event(module, ...) NPU_EMU_LOG_DROP(nullptr, ##__VA_ARGS__)
#endif
template <class... Arguments>
void DlogRecord(int, int level, const char* format, Arguments... arguments) {
  if (level == DLOG_ERROR) ::npu_emu::host::logError(nullptr, format, arguments...);
}
