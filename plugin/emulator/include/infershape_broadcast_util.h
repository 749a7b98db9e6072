#pragma once

#include "op_common/op_host/infershape_broadcast_util.h"
