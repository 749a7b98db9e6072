#pragma once

#include "op_common/op_host/util/bfloat16.h"
