// Headers that host and kernel share include this for the structs of the library, which the host side has already.
#pragma once

#if defined(__CCE_AICORE__)
#include "kernel_operator.h"
#endif
