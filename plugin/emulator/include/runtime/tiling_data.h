#pragma once

#include "exe_graph/runtime/tiling_data.h"
