// Sizes of the temporary tensors of Concat and Sort on Atlas A2, in bytes.
#pragma once

#include "lib/utils/types.h"
#include "tiling/helper_checks.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// api: GetConcatTmpSize | - | - | documented
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t, const uint32_t) { return 0; }

// A sorted element takes 8 bytes whatever the type of its score.
// api: GetSortTmpSize | - | - | documented
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t elemCount, const uint32_t) {
  return elemCount * 8;
}

enum class SortType { RADIX_SORT, MERGE_SORT };
struct SortConfig {
  SortType type = SortType::RADIX_SORT;
  bool isDescend = false;
  bool hasSrcIndex = false;
  bool hasDstIndex = false;
};

// Of the Sort with a configuration, which Atlas A2 does not have: the sizes stay as they are.
// api: GetSortMaxMinTmpSize | - | - | documented
inline void GetSortMaxMinTmpSize(const TensorShape&, TensorDataType, TensorDataType, bool, const SortConfig&, uint32_t&,
                                 uint32_t&) {
  npu_emu::host::accepts("GetSortMaxMinTmpSize", false, "Sort takes a configuration on Ascend 950 only");
}

}  // namespace AscendC
