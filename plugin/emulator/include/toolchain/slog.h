#pragma once

// Kernels include it for macros of their own, and have data types as macros.
#if !defined(__CCE_AICORE__)
#include "log/log.h"
#endif
