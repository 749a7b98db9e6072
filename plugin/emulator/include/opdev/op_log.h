// Logging of the op-API layer, which inference sources include for its macros, and checks that return.
#pragma once

#include "log/log.h"

// api: OP_CHECK_NOTNULL, OP_CHECK_NO_RETURN, CHECK_RET, CHECK_COND | - | - | inferred: only errors are printed
#ifndef OP_CHECK_NOTNULL
#define OP_CHECK_NOTNULL(pointer)                         \
  do {                                                    \
    if ((pointer) == nullptr) {                           \
      NPU_EMU_LOG_ERROR(nullptr, "%s is null", #pointer); \
      return;                                             \
    }                                                     \
  } while (0)
#endif
#ifndef OP_CHECK_NO_RETURN
#define OP_CHECK_NO_RETURN(condition, log) \
  do {                                     \
    if (!(condition)) log;                 \
  } while (0)
#endif
#ifndef CHECK_RET
#define CHECK_RET(condition, result) \
  do {                               \
    if (!(condition)) return result; \
  } while (0)
#endif
#ifndef CHECK_COND
#define CHECK_COND(condition, result, ...)       \
  do {                                           \
    if (!(condition)) {                          \
      NPU_EMU_LOG_ERROR(nullptr, ##__VA_ARGS__); \
      return result;                             \
    }                                            \
  } while (0)
#endif
