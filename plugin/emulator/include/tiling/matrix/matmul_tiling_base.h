#pragma once

#include "tiling/matmul_tiling.h"
