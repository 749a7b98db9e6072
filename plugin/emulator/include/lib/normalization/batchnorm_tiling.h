#pragma once

#include "tiling/normalization_tiling.h"
