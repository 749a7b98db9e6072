#pragma once

#include "tiling/softmax_tiling.h"
