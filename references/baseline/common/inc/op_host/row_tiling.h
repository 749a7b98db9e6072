// How operators that work row by row share the rows among the cores and fit them into the unified buffer. The kernel
// side is row_pipeline.h.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowTiling)
TILING_DATA_FIELD_DEF(uint64_t, rows);
TILING_DATA_FIELD_DEF(uint64_t, columns);
TILING_DATA_FIELD_DEF(uint64_t, unitsPerCore);  // rows, or tiles; the first `largerCores` take one more
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, mode);            // of RowMode
TILING_DATA_FIELD_DEF(uint32_t, stride);          // elements from row to row in the unified buffer, or of one tile
TILING_DATA_FIELD_DEF(uint32_t, stepRows);        // rows of one step
TILING_DATA_FIELD_DEF(uint32_t, bufferElements);  // elements that a buffer holds
TILING_DATA_FIELD_DEF(uint32_t, keptElements);    // RESIDENT_ROW: elements of a row that stays
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RowTilingOp, RowTiling)

enum RowMode : uint32_t {
  WHOLE_ROWS = 0,    // a step takes one row or several
  SPLIT_ROWS = 1,    // a step takes a tile of one row; every pass reads the row again
  RESIDENT_ROW = 2,  // as before, but a row stays in float32 after it was read once
};

// What one operator needs. Bytes are those of one element of all such tensors together.
struct RowNeeds {
  uint64_t rows = 1;
  uint64_t columns = 1;
  uint64_t inputBytes = 0;
  uint64_t outputBytes = 0;
  uint64_t vectors = 0;      // inputs of one row's length that all rows share
  uint64_t vectorBytes = 0;  // of those
  uint64_t works = 0;        // float32 intermediates
  uint64_t kept = 0;         // the first of them, which hold all that later passes need to know of a row; 0: no such
  uint64_t columnSums = 0;   // float32 sums over all rows
  uint64_t fixedBytes = 0;   // buffers of the operator's own
  uint64_t smallest = 2;     // bytes of the smallest element type that moves in rows
  bool reduces = true;       // a row belongs to one core
  bool rowScalars = true;    // there are numbers of each row
};

inline uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
inline uint64_t AlignUp(uint64_t a, uint64_t b) { return CeilDiv(a, b) * b; }

// 0 for a type that no operator here takes.
inline uint64_t BytesOf(ge::DataType type) {
  switch (type) {
    case ge::DT_INT8:
    case ge::DT_UINT8:
    case ge::DT_BOOL: return 1;
    case ge::DT_FLOAT16:
    case ge::DT_BF16: return 2;
    case ge::DT_FLOAT:
    case ge::DT_INT32: return 4;
    case ge::DT_INT64: return 8;
    default: return 0;
  }
}

// The type of an input; DT_UNDEFINED where it is absent.
inline ge::DataType TypeOf(const gert::TilingContext* context, size_t input) {
  const auto* desc = context->GetOptionalInputDesc(input);
  return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
}

// Fills in the tiling of rows, the block dimension and the workspace; false where nothing fits.
inline bool PlanRows(gert::TilingContext* context, const RowNeeds& needs, RowTiling& tiling) {
  constexpr uint64_t LANES = 64;  // float32 elements of one vector repeat
  constexpr uint64_t FLOAT_BYTES = sizeof(float);
  constexpr uint64_t BLOCK_BYTES = 32;
  constexpr uint64_t DOUBLE = 2;
  constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // kept free for the device library
  constexpr uint64_t SCALARS_UB_BYTES = 24 * 1024;  // what the pipeline keeps of each row of a step; rounding
  constexpr uint64_t MAX_REDUCED_ROWS = 128;        // of a step
  constexpr uint64_t MAX_ROWS = 4095;               // bursts of one transfer
  constexpr uint64_t MAX_TILE = 16320;              // 255 repeats
  constexpr uint64_t MIN_RESIDENT_TILE = 1024;
  constexpr uint64_t STEPS_PER_CORE = 4;         // enough steps to hide the first load and the last store
  constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;  // one core more costs more than it saves on less
  constexpr uint64_t MIN_TILE_BYTES = 2 * 1024;  // below this the fixed cost of a transfer dominates

  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAiv();
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  if (cores == 0 || needs.rows == 0 || needs.columns == 0 || needs.columns > UINT32_MAX || needs.smallest == 0) {
    return false;
  }
  if (needs.fixedBytes + RESERVED_UB_BYTES + SCALARS_UB_BYTES >= ubBytes) {
    return false;
  }
  const uint64_t usable = ubBytes - RESERVED_UB_BYTES - SCALARS_UB_BYTES - needs.fixedBytes;
  const uint64_t movedBytes = needs.inputBytes + needs.outputBytes;
  const uint64_t total = needs.rows * needs.columns;
  const uint64_t worthwhileCores = std::min(cores, CeilDiv(total * movedBytes, MIN_CORE_BYTES));
  const uint64_t stride = AlignUp(needs.columns, BLOCK_BYTES / needs.smallest);

  // Whole rows: shared vectors stay in float32; the buffer of the inputs has to hold one of them as it comes.
  const uint64_t sharedBytes = stride * FLOAT_BYTES * (needs.vectors + needs.columnSums);
  const uint64_t packBytes = needs.vectors > 0 ? std::max(needs.inputBytes, FLOAT_BYTES) : needs.inputBytes;
  const uint64_t rowBytes = stride * (DOUBLE * (packBytes + needs.outputBytes) + FLOAT_BYTES * needs.works);
  const uint64_t fitting = usable > sharedBytes ? (usable - sharedBytes) / rowBytes : 0;
  const uint64_t maxRows = needs.reduces || needs.rowScalars ? MAX_REDUCED_ROWS : MAX_ROWS;
  const uint64_t bufferRows = std::min({fitting, needs.rows, maxRows});
  const bool tooFewRows =
      !needs.reduces && needs.rows < worthwhileCores * STEPS_PER_CORE && needs.columns * movedBytes > MIN_TILE_BYTES;

  uint64_t units = needs.rows;
  uint64_t usedCores = std::min(worthwhileCores, needs.rows);
  tiling.set_rows(needs.rows);
  tiling.set_columns(needs.columns);
  tiling.set_keptElements(0);
  if (bufferRows > 0 && !tooFewRows) {
    const uint64_t worthwhileRows = CeilDiv(MIN_TILE_BYTES, stride * movedBytes);
    const uint64_t stepRows = std::max(CeilDiv(needs.rows / usedCores, STEPS_PER_CORE), worthwhileRows);
    tiling.set_mode(WHOLE_ROWS);
    tiling.set_stride(static_cast<uint32_t>(stride));
    tiling.set_stepRows(static_cast<uint32_t>(std::min(stepRows, bufferRows)));
    tiling.set_bufferElements(static_cast<uint32_t>(bufferRows * stride));
  } else {
    const uint64_t outputBytes = needs.outputBytes + FLOAT_BYTES * needs.columnSums;
    const uint64_t movedTwice = DOUBLE * (needs.inputBytes + needs.vectorBytes + outputBytes);
    const uint64_t streamed = movedTwice + FLOAT_BYTES * needs.vectors;
    const uint64_t residentBytes = AlignUp(stride, LANES) * FLOAT_BYTES * needs.kept;
    const uint64_t beside = streamed + FLOAT_BYTES * (needs.works - needs.kept);
    const uint64_t residentTile = usable > residentBytes ? (usable - residentBytes) / beside / LANES * LANES : 0;
    const bool resident = needs.reduces && needs.kept > 0 && residentTile >= MIN_RESIDENT_TILE;
    const uint64_t splitTile = usable / (streamed + FLOAT_BYTES * needs.works) / LANES * LANES;
    uint64_t tile = std::min(resident ? residentTile : splitTile, MAX_TILE);
    if (tile == 0) {
      return false;
    }
    if (!needs.reduces) {
      const uint64_t wanted = CeilDiv(total, cores * STEPS_PER_CORE);
      tile = std::min(tile, AlignUp(std::max(wanted, CeilDiv(MIN_TILE_BYTES, movedBytes)), 4 * LANES));
      units = needs.rows * CeilDiv(needs.columns, tile);
      usedCores = std::min(worthwhileCores, units);
    }
    tiling.set_mode(resident ? RESIDENT_ROW : SPLIT_ROWS);
    tiling.set_stride(static_cast<uint32_t>(tile));
    tiling.set_stepRows(1);
    tiling.set_bufferElements(static_cast<uint32_t>(tile));
    tiling.set_keptElements(static_cast<uint32_t>(resident ? AlignUp(stride, LANES) : 0));
  }
  tiling.set_unitsPerCore(units / usedCores);
  tiling.set_largerCores(static_cast<uint32_t>(units % usedCores));

  context->SetBlockDim(static_cast<uint32_t>(usedCores));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  if (needs.columnSums > 0) {
    // Every core leaves its sums there; all cores have to run at once.
    workspace[0] =
        platform.GetLibApiWorkSpaceSize() + usedCores * needs.columnSums * AlignUp(needs.columns, LANES) * FLOAT_BYTES;
    context->SetScheduleMode(1);
  }
  return true;
}

// The same for an operator that treats `total` elements one by one.
inline bool PlanElements(gert::TilingContext* context, uint64_t total, uint64_t inputBytes, uint64_t outputBytes,
                         uint64_t works, RowTiling& tiling) {
  RowNeeds needs;
  needs.columns = total;
  needs.inputBytes = inputBytes;
  needs.outputBytes = outputBytes;
  needs.works = works;
  needs.reduces = false;
  needs.rowScalars = false;
  return total > 0 && inputBytes > 0 && PlanRows(context, needs, tiling);
}

// For kernels that use core_sums.h: a block of memory for each core, and all cores run at once.
inline void PlanCoreSums(gert::TilingContext* context) {
  constexpr size_t BLOCK_BYTES = 32;
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  context->GetWorkspaceSizes(1)[0] = platform.GetLibApiWorkSpaceSize() + platform.GetCoreNumAiv() * BLOCK_BYTES;
  context->SetScheduleMode(1);
}

template <typename Tiling>
ge::graphStatus Save(gert::TilingContext* context, Tiling& tiling) {
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());
  return ge::GRAPH_SUCCESS;
}

// Elements of an input; 0 where it is absent.
inline uint64_t SizeOf(const gert::TilingContext* context, size_t input) {
  const auto* shape = context->GetOptionalInputShape(input);
  return shape == nullptr ? 0 : static_cast<uint64_t>(std::max<int64_t>(shape->GetStorageShape().GetShapeSize(), 0));
}
}  // namespace optiling
