// Temporary memory of Broadcast, in bytes.
#pragma once

#include "lib/utils/types.h"
#include "ascendc/reduce_sizes.h"
#include "tiling/helper_checks.h"
#include "tiling/platform/platform_ascendc.h"

namespace AscendC {

// api: GetBroadCastMaxMinTmpSize | - | - | inferred: the sizes
inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const TensorShape& srcShape,
                                      const TensorShape& dstShape, uint32_t typeSize, const bool, uint32_t& maxValue,
                                      uint32_t& minValue) {
  const char* helper = "GetBroadCastMaxMinTmpSize";
  using npu_emu::host::accepts;
  const size_t dims = dstShape.GetDimNum();
  if (!accepts(helper, typeSize == 1 || typeSize == 2 || typeSize == 4, "typeSize is 1, 2 or 4")) return;
  if (!accepts(helper, (dims == 1 || dims == 2) && srcShape.GetDimNum() == dims,
               "both shapes have one dimension, or both two"))
    return;
  npu_emu::sizes::Broadcast shape{static_cast<uint32_t>(dims), {1, 1}, {1, 1}};
  for (size_t i = 0; i < dims; ++i) {
    const int64_t src = srcShape.GetDim(i), dst = dstShape.GetDim(i);
    if (!accepts(helper, src > 0 && (src == dst || src == 1), "srcShape cannot be broadcast to dstShape")) return;
    shape.src[i] = static_cast<uint32_t>(src);
    shape.dst[i] = static_cast<uint32_t>(dst);
  }
  const bool ofRow = dims == 2 && shape.src[0] != shape.dst[0] && shape.src[1] != 1;
  if (!accepts(helper, !ofRow || shape.dst[1] * std::max(typeSize, 2u) % 32 == 0,
               "rows that are broadcast along the first axis are multiples of 32 bytes"))
    return;
  const npu_emu::sizes::Range range = npu_emu::sizes::broadcast(shape, typeSize);
  maxValue = range.most;
  minValue = range.least;
}

}  // namespace AscendC
