#pragma once

#include "tiling/reduce_tiling.h"
