// Sizes of the temporary tensors of Concat and Sort on Atlas A2, in bytes.
#pragma once

#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// api: GetConcatTmpSize | - | - | documented
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t, const uint32_t) { return 0; }

// A sorted element takes 8 bytes whatever the type of its score.
// api: GetSortTmpSize | - | - | documented
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, const uint32_t) { return elemCount * 8; }

}  // namespace AscendC
