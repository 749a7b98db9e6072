// Reports of errors to the framework: printed as those of the log are.
#pragma once

#include "log/printed.h"

// api: REPORT_INNER_ERR_MSG, REPORT_INNER_ERROR, REPORT_CALL_ERROR | - | - | inferred: printed as other errors are, after their code
#ifndef REPORT_INNER_ERR_MSG
#define REPORT_INNER_ERR_MSG(code, ...) NPU_EMU_LOG_ERROR(code, ##__VA_ARGS__)
#endif
#ifndef REPORT_INNER_ERROR
#define REPORT_INNER_ERROR(code, ...) NPU_EMU_LOG_ERROR(code, ##__VA_ARGS__)
#endif
#ifndef REPORT_CALL_ERROR
#define REPORT_CALL_ERROR(code, ...) NPU_EMU_LOG_ERROR(code, ##__VA_ARGS__)
#endif
// api: REPORT_INPUT_ERROR, REPORT_ENV_ERROR, REPORT_PREDEFINED_ERR_MSG, REPORT_USER_ERR_MSG | - | - | inferred: the code alone
//   is printed
#ifndef REPORT_INPUT_ERROR
#define REPORT_INPUT_ERROR(code, ...) NPU_EMU_LOG_ERROR(code, "reported")
#endif
#ifndef REPORT_ENV_ERROR
#define REPORT_ENV_ERROR(code, ...) NPU_EMU_LOG_ERROR(code, "reported")
#endif
#ifndef REPORT_PREDEFINED_ERR_MSG
#define REPORT_PREDEFINED_ERR_MSG(code, ...) NPU_EMU_LOG_ERROR(code, "reported")
#endif
#ifndef REPORT_USER_ERR_MSG
#define REPORT_USER_ERR_MSG(code, ...) NPU_EMU_LOG_ERROR(code, "reported")
#endif
