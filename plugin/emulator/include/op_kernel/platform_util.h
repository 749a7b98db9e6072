#pragma once

#include "op_common/op_kernel/platform_util.h"
