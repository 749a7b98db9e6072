#pragma once

#include "tiling/math_tiling.h"
