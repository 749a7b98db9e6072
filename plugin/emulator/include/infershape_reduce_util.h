#pragma once

#include "op_common/op_host/infershape_reduce_util.h"
