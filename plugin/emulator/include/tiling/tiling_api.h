// Tiling helpers of the high-level API. Only what is implemented is declared: a call to a missing one must not compile.
#pragma once

#include "register/tilingdata_base.h"
#include "tiling/activation_tiling.h"
#include "tiling/broadcast_tiling.h"
#include "tiling/index_tiling.h"
#include "tiling/math_tiling.h"
#include "tiling/matmul_tiling.h"
#include "tiling/normalization_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/quantization_tiling.h"
#include "tiling/rearrange_tiling.h"
#include "tiling/reduce_tiling.h"
#include "tiling/select_tiling.h"
#include "tiling/softmax_tiling.h"
#include "tiling/sort_tiling.h"
