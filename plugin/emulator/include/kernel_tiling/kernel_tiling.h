// Headers that host and kernel share include this for the structs of the library, which both name without a namespace.
#pragma once

#if defined(__CCE_AICORE__)
#include "kernel_operator.h"
#else
#include "ascendc/tiling_structs.h"

using namespace AscendC::tiling;
#endif
