// The precompiled header of host translation units. Logging macros stay out of it: operators define their own, and a
// candidate that forgets to include them must notice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "graph/shape.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "platform/platform_manager.h"
#include "register/op_def_registry.h"
#include "register/op_impl_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"
