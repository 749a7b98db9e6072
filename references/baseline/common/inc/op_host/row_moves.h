// Tiling of operators that move rows from place to place; the kernel side is op_kernel/row_moves.h.
#pragma once

#include "op_host/op_declaration.h"
#include "op_host/row_tiling.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(RowMovesTiling)
TILING_DATA_FIELD_DEF(uint64_t, rowBytes);
TILING_DATA_FIELD_DEF(uint64_t, piecesPerRow);  // long rows are cut
TILING_DATA_FIELD_DEF(uint64_t, unitsPerCore);  // rows, or pieces; the first `largerCores` take one more
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
TILING_DATA_FIELD_DEF(uint32_t, pieceBytes);  // of a whole row where they are not cut
TILING_DATA_FIELD_DEF(uint32_t, rowsPerStep);
TILING_DATA_FIELD_DEF(uint32_t, cores);  // those behind have nothing to do
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(RowMovesTilingOp, RowMovesTiling)

inline bool PlanMoves(gert::TilingContext* context, uint64_t rows, uint64_t rowBytes, RowMovesTiling& tiling) {
  constexpr uint64_t BLOCK_BYTES = 32;
  constexpr uint64_t UNIT_BYTES = 512;              // full-rate burst of global memory
  constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // kept free for the device library
  constexpr uint64_t BUFFERS = 3;                   // two on the way through, one of zeros
  constexpr uint64_t MAX_ROWS = 4095;               // bursts of one transfer
  constexpr uint64_t STEPS_PER_CORE = 4;            // enough steps to hide the first load and the last store
  constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;     // one core more costs more than it saves on less
  constexpr uint64_t MIN_PIECE_BYTES = 4 * 1024;    // a row is not cut into smaller pieces
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  if (rows == 0 || rowBytes == 0 || platform.GetCoreNumAiv() == 0) {
    return false;
  }
  const uint64_t bufferBytes = (ubBytes - RESERVED_UB_BYTES) / BUFFERS / UNIT_BYTES * UNIT_BYTES;
  const uint64_t cores = std::min<uint64_t>(platform.GetCoreNumAiv(), CeilDiv(rows * rowBytes, MIN_CORE_BYTES));
  // Few rows are cut, so that every core has some steps.
  const uint64_t wanted = std::max(CeilDiv(rows * rowBytes, cores * STEPS_PER_CORE), MIN_PIECE_BYTES);
  const bool cut = rowBytes > bufferBytes || (rows < cores * STEPS_PER_CORE && rowBytes > wanted);
  const uint64_t pieceBytes = cut ? std::min(AlignUp(wanted, UNIT_BYTES), bufferBytes) : rowBytes;
  const uint64_t piecesPerRow = CeilDiv(rowBytes, pieceBytes);
  const uint64_t units = rows * piecesPerRow;
  const uint64_t usedCores = std::min(cores, units);
  const uint64_t fitting = bufferBytes / AlignUp(pieceBytes, BLOCK_BYTES);
  const uint64_t worthwhile = CeilDiv(MIN_PIECE_BYTES, pieceBytes);
  const uint64_t stepRows = std::max(CeilDiv(units / usedCores, STEPS_PER_CORE), worthwhile);
  tiling.set_rowBytes(rowBytes);
  tiling.set_piecesPerRow(piecesPerRow);
  tiling.set_unitsPerCore(units / usedCores);
  tiling.set_largerCores(static_cast<uint32_t>(units % usedCores));
  tiling.set_pieceBytes(static_cast<uint32_t>(pieceBytes));
  tiling.set_rowsPerStep(static_cast<uint32_t>(std::min({stepRows, fitting, MAX_ROWS})));
  tiling.set_cores(static_cast<uint32_t>(usedCores));
  context->SetBlockDim(static_cast<uint32_t>(usedCores));
  context->GetWorkspaceSizes(1)[0] = 0;
  return true;
}

// Bytes of an element of any type that is only moved; 0 for others.
inline uint64_t MovedBytes(ge::DataType type) {
  switch (type) {
    case ge::DT_INT16:
    case ge::DT_UINT16: return 2;
    case ge::DT_UINT32: return 4;
    case ge::DT_UINT64:
    case ge::DT_DOUBLE:
    case ge::DT_COMPLEX64: return 8;
    default: return BytesOf(type);
  }
}

// The product of the extents of the axes from `first` to before `last`.
inline uint64_t Extents(const gert::Shape& shape, size_t first, size_t last) {
  uint64_t product = 1;
  for (size_t axis = first; axis < last; ++axis) {
    product *= static_cast<uint64_t>(shape.GetDim(axis));
  }
  return product;
}
}  // namespace optiling
