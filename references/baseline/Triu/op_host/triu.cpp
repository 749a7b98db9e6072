#include <algorithm>
#include <numeric>

#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "triu_tiling.h"

namespace {
constexpr uint64_t WIDE_ROWS = 1;  // tiling keys: rows moved one by one, or elements selected by their index
constexpr uint64_t NARROW_ROWS = 2;

constexpr uint64_t BLOCK_BYTES = 32;
constexpr uint64_t UNIT_BYTES = 512;              // full-rate burst of global memory
constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // Select keeps its mask there
constexpr uint64_t SLACK_BYTES = 256;             // a block more per index buffer, rounding of the bit mask to blocks
constexpr uint64_t WIDE_ROW_BYTES = 2 * 1024;     // from here on a row is worth transfers of its own
constexpr uint64_t WIDE_BUFFERS = 3;              // two on the way through, one of zeros
constexpr uint64_t QUEUE_BUFFERS = 2 * 2;         // x and y, double-buffered
constexpr uint64_t INDEX_BUFFERS = 4;             // float32 arithmetic on indices
constexpr uint64_t STEPS_PER_CORE = 4;            // enough steps to hide the first load and the last store
constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;     // one core more costs more than it saves on less
constexpr uint64_t MIN_TILE_BYTES = 2 * 1024;     // below this the fixed cost of a transfer dominates

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }
uint64_t AlignUp(uint64_t a, uint64_t b) { return CeilDiv(a, b) * b; }

// 0 for a type the operator does not take.
uint64_t BytesOf(ge::DataType type) {
  switch (type) {
    case ge::DT_FLOAT16: return 2;
    case ge::DT_FLOAT: return 4;
    default: return 0;
  }
}

struct Problem {
  uint64_t cores, usableBytes, elementBytes, total, rows, columns;
};

// Segments of rows, dealt to the cores in turn: neighbours keep about as much of their rows.
uint64_t TileWideRows(const Problem& p, optiling::TriuTilingData& tiling);
// A contiguous stretch of elements per core.
uint64_t TileNarrowRows(const Problem& p, optiling::TriuTilingData& tiling);
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);

  const auto* xShape = context->GetInputShape(0);
  const auto* xDesc = context->GetInputDesc(0);
  const auto* attrs = context->GetAttrs();
  if (xShape == nullptr || xDesc == nullptr || attrs == nullptr || platform.GetCoreNumAiv() == 0) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* diagonal = attrs->GetAttrPointer<int64_t>(0);
  const gert::Shape& shape = xShape->GetStorageShape();
  const size_t rank = shape.GetDimNum();
  if (diagonal == nullptr || rank < 2 || shape.GetShapeSize() <= 0 || BytesOf(xDesc->GetDataType()) == 0) {
    return ge::GRAPH_FAILED;
  }
  const int64_t rows = shape.GetDim(rank - 2);
  const int64_t columns = shape.GetDim(rank - 1);
  const Problem problem{platform.GetCoreNumAiv(),      ubBytes - RESERVED_UB_BYTES - SLACK_BYTES,
                        BytesOf(xDesc->GetDataType()), static_cast<uint64_t>(shape.GetShapeSize()),
                        static_cast<uint64_t>(rows),   static_cast<uint64_t>(columns)};

  TriuTilingData tiling;
  tiling.set_totalLength(problem.total);
  tiling.set_matrixRows(problem.rows);
  tiling.set_matrixColumns(problem.columns);
  tiling.set_diagonal(std::max(-rows, std::min(columns, *diagonal)));
  const bool wide = problem.columns * problem.elementBytes >= WIDE_ROW_BYTES;
  const uint64_t usedCores = wide ? TileWideRows(problem, tiling) : TileNarrowRows(problem, tiling);
  context->SetTilingKey(wide ? WIDE_ROWS : NARROW_ROWS);
  context->SetBlockDim(static_cast<uint32_t>(usedCores));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace {
uint64_t TileWideRows(const Problem& p, optiling::TriuTilingData& tiling) {
  const uint64_t unitLength = UNIT_BYTES / p.elementBytes;
  const uint64_t bufferLength = p.usableBytes / WIDE_BUFFERS / UNIT_BYTES * unitLength;
  const uint64_t rows = p.total / p.columns;
  // Few rows are cut further, so that every core has some steps.
  const uint64_t wantedSegments = CeilDiv(p.cores * STEPS_PER_CORE, rows);
  const uint64_t wanted = std::max(CeilDiv(p.columns, wantedSegments), MIN_TILE_BYTES / p.elementBytes);
  const uint64_t segmentLength = std::min(AlignUp(wanted, unitLength), bufferLength);
  const uint64_t segmentsPerRow = CeilDiv(p.columns, segmentLength);
  tiling.set_unitsPerCore(0);
  tiling.set_unitLength(0);
  tiling.set_largerCores(0);
  tiling.set_segmentsPerRow(static_cast<uint32_t>(segmentsPerRow));
  tiling.set_tileLength(static_cast<uint32_t>(segmentLength));
  tiling.set_bufferLength(static_cast<uint32_t>(bufferLength));
  return std::min(p.cores, rows * segmentsPerRow);
}

uint64_t TileNarrowRows(const Problem& p, optiling::TriuTilingData& tiling) {
  const uint64_t burstLength = UNIT_BYTES / p.elementBytes;
  const uint64_t bitsPerElement = 8 * (QUEUE_BUFFERS * p.elementBytes + INDEX_BUFFERS * sizeof(float)) + 1;
  const uint64_t bufferLength = p.usableBytes * 8 / bitsPerElement / burstLength * burstLength;

  // Whole matrices in whole blocks, where there are enough of them: every step then has the same mask.
  const uint64_t matrixLength = p.rows * p.columns;
  const uint64_t matrixBytes = matrixLength * p.elementBytes;
  const uint64_t groupLength = matrixLength * (BLOCK_BYTES / std::gcd(matrixBytes, BLOCK_BYTES));
  const bool groups = groupLength <= bufferLength && p.total / groupLength >= p.cores * STEPS_PER_CORE;
  const uint64_t unitLength = groups ? groupLength : burstLength;
  const uint64_t units = CeilDiv(p.total, unitLength);
  const uint64_t usedCores = std::min({p.cores, units, CeilDiv(p.total * p.elementBytes, MIN_CORE_BYTES)});
  const uint64_t unitsPerCore = units / usedCores;
  const uint64_t worthwhileUnits = CeilDiv(MIN_TILE_BYTES / p.elementBytes, unitLength);
  const uint64_t stepUnits = std::max(CeilDiv(unitsPerCore, STEPS_PER_CORE), worthwhileUnits);

  tiling.set_unitsPerCore(unitsPerCore);
  tiling.set_unitLength(unitLength);
  tiling.set_largerCores(static_cast<uint32_t>(units % usedCores));
  tiling.set_segmentsPerRow(0);
  tiling.set_tileLength(static_cast<uint32_t>(std::min(stepUnits, bufferLength / unitLength) * unitLength));
  tiling.set_bufferLength(static_cast<uint32_t>(bufferLength));
  return usedCores;
}
}  // namespace

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* y = context->GetOutputShape(0);
  if (x == nullptr || y == nullptr) {
    return GRAPH_FAILED;
  }
  *y = *x;
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace ge

namespace ops {
class Triu : public OpDef {
 public:
  explicit Triu(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("diagonal").AttrType(OPTIONAL).Int(0);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Triu);
}  // namespace ops
