// Tiling and operator definition of what reduces a vector; the kernel side is op_kernel/strided_vector.h.
#pragma once

#include "op_host/op_declaration.h"
#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(StridedVectorTiling)
TILING_DATA_FIELD_DEF(uint64_t, length);         // elements that count
TILING_DATA_FIELD_DEF(uint64_t, increment);      // from one to the next
TILING_DATA_FIELD_DEF(uint64_t, lengthPerCore);  // the last core may have less
TILING_DATA_FIELD_DEF(uint32_t, tileLength);     // elements of one step
TILING_DATA_FIELD_DEF(uint32_t, pitch);          // numbers from one element to the next in the unified buffer
END_TILING_DATA_DEF;

// Attributes n and incx; elements of `parts` numbers of `bytes` bytes, input 0 holds `total` of them.
inline ge::graphStatus TileVector(gert::TilingContext* context, uint64_t parts, uint64_t bytes, uint64_t total) {
  constexpr uint64_t LANES = 64;
  constexpr uint64_t BLOCK_BYTES = 32;
  constexpr uint64_t RESERVED_UB_BYTES = 16 * 1024;  // of the device library, and of core_sums.h
  constexpr uint64_t MIN_CORE_LENGTH = 2048;         // meeting costs more than it saves on less
  constexpr uint64_t MAX_TILE = 4032;                // bursts of one transfer, in whole repeats
  constexpr uint64_t MIN_TILE = 512;                 // the values of all cores fit
  constexpr uint64_t DENSE = 16;                     // what is further apart comes in bursts of its own
  const auto* attrs = context->GetAttrs();
  const int64_t* n = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(0);
  const int64_t* incx = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(1);
  if (n == nullptr || incx == nullptr || *n <= 0 || *incx <= 0 || bytes == 0 ||
      (static_cast<uint64_t>(*n) - 1) * static_cast<uint64_t>(*incx) >= total) {
    return ge::GRAPH_FAILED;
  }
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t length = static_cast<uint64_t>(*n);
  const uint64_t increment = static_cast<uint64_t>(*incx);
  const uint64_t cores = std::min<uint64_t>(platform.GetCoreNumAiv(), CeilDiv(length, MIN_CORE_LENGTH));
  if (cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t perCore = CeilDiv(length, cores);
  const uint64_t pitch = increment <= DENSE ? increment * parts : BLOCK_BYTES / bytes;
  const uint64_t wide = bytes == sizeof(float) ? 0 : sizeof(float);
  const uint64_t elementBytes = pitch * (2 * bytes + wide) + (parts + 2) * sizeof(float);
  const uint64_t fitting = (ubBytes - RESERVED_UB_BYTES) / elementBytes / LANES * LANES;
  StridedVectorTiling tiling;
  tiling.set_length(length);
  tiling.set_increment(increment);
  tiling.set_lengthPerCore(perCore);
  tiling.set_tileLength(
      static_cast<uint32_t>(std::min({fitting, MAX_TILE, std::max(AlignUp(CeilDiv(perCore, 2), LANES), MIN_TILE)})));
  tiling.set_pitch(static_cast<uint32_t>(pitch));
  context->SetBlockDim(static_cast<uint32_t>(CeilDiv(length, perCore)));
  PlanCoreSums(context);
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
// The result is one number without axes.
inline graphStatus ScalarShape(gert::InferShapeContext* context) {
  gert::Shape* result = context->GetOutputShape(0);
  if (result == nullptr) {
    return GRAPH_FAILED;
  }
  result->SetDimNum(0);
  return GRAPH_SUCCESS;
}
}  // namespace ge
