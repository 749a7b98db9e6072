#pragma once

#include "op_common/op_host/util/shape_util.h"
