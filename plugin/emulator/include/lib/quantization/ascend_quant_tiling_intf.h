#pragma once

#include "tiling/quantization_tiling.h"
