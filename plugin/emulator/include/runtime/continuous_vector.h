#pragma once

#include "exe_graph/runtime/continuous_vector.h"
