#pragma once

#include "op_common/op_host/infershape_elewise_util.h"
