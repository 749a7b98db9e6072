// What is legal of the tiling data of the library, of the lists that its structs are made from (tiling_structs.h).
#pragma once

#include "../include/ascendc/tiling_structs.h"
#include "legal.h"

#define NPU_EMU_TILING_DATA(name)                         \
  template <>                                             \
  struct Legal<AscendC::tiling::name> {                   \
    static bool is(const AscendC::tiling::name& tiling) { \
      return true
#define NPU_EMU_TILING_FIELD(type, name) &&isLegal(tiling.name)
#define NPU_EMU_TILING_END \
  ;                        \
  }                        \
  }                        \
  ;

namespace npu_emu {
#include "../include/ascendc/tiling_structs/matmul.h"
#include "../include/ascendc/tiling_structs/normalization.h"
#include "../include/ascendc/tiling_structs/rearrangement.h"
#include "../include/ascendc/tiling_structs/softmax.h"
}  // namespace npu_emu

#undef NPU_EMU_TILING_DATA
#undef NPU_EMU_TILING_FIELD
#undef NPU_EMU_TILING_END
