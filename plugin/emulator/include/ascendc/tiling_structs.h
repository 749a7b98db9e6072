// The tiling data of the library as plain structs. On the host optiling::X is a class of the same layout with setters
// and getters (tiling/library_structs.h); the fields of both come from the same lists.
#pragma once

#include <cstdint>

#define NPU_EMU_TILING_DATA(name) struct name {
#define NPU_EMU_TILING_FIELD(type, name) type name = 0;
#define NPU_EMU_TILING_END \
  }                        \
  ;

namespace AscendC::tiling {
#include "tiling_structs/matmul.h"
#include "tiling_structs/normalization.h"
#include "tiling_structs/rearrangement.h"
#include "tiling_structs/softmax.h"
}  // namespace AscendC::tiling

#undef NPU_EMU_TILING_DATA
#undef NPU_EMU_TILING_FIELD
#undef NPU_EMU_TILING_END

// Kernels and their tiling data name it without its namespace.
using AscendC::tiling::TCubeTiling;
