#pragma once

#if defined(__CCE_AICORE__)
#include "kernel_operator.h"
#else
#include "ascendc/data_format.h"
#endif
