#pragma once

#include "tiling/rearrange_tiling.h"
