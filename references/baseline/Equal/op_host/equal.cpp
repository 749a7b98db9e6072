#include <algorithm>

#include "equal_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
constexpr uint64_t UNIT_BYTES = 512;              // full-rate burst of global memory
constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // Select keeps its mask there
constexpr uint64_t INPUT_BUFFERS = 2 * 2;         // x1 and x2, double-buffered
constexpr uint64_t OUTPUT_BUFFERS = 2;            // y, one byte per element
constexpr uint64_t BANK_SHIFT_BYTES = 128;        // operands are longer by this, so that x1 and x2 start in other banks
constexpr uint64_t STEPS_PER_CORE = 4;            // enough steps to hide the first load and the last store
constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;     // one core more costs more than it saves on less
constexpr uint64_t MIN_TILE_BYTES = 2 * 1024;     // below this the fixed cost of a transfer dominates

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

struct TypeFacts {
  uint64_t bytes;    // of one element; 0 for a type the operator does not take
  uint64_t widened;  // bytes per element of the two operands converted to a type that can be compared
};

TypeFacts FactsOf(ge::DataType type) {
  switch (type) {
    case ge::DT_FLOAT16: return {2, 0};
    case ge::DT_BF16: return {2, 2 * 4};
    case ge::DT_INT8:
    case ge::DT_UINT8: return {1, 2 * 2};
    case ge::DT_FLOAT:
    case ge::DT_INT32:
    case ge::DT_UINT32: return {4, 0};
    default: return {0, 0};
  }
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAiv();
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);

  const auto* x1Shape = context->GetInputShape(0);
  const auto* x2Shape = context->GetInputShape(1);
  const auto* x1Desc = context->GetInputDesc(0);
  const auto* x2Desc = context->GetInputDesc(1);
  if (x1Shape == nullptr || x2Shape == nullptr || x1Desc == nullptr || x2Desc == nullptr || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const TypeFacts type = FactsOf(x1Desc->GetDataType());
  const int64_t total = x1Shape->GetStorageShape().GetShapeSize();
  if (type.bytes == 0 || x2Desc->GetDataType() != x1Desc->GetDataType()) {
    return ge::GRAPH_FAILED;
  }
  if (total <= 0 || total != x2Shape->GetStorageShape().GetShapeSize()) {
    return ge::GRAPH_FAILED;
  }

  const uint64_t unitLength = UNIT_BYTES / type.bytes;
  const uint64_t units = CeilDiv(static_cast<uint64_t>(total), unitLength);
  const uint64_t usedCores = std::min(cores, CeilDiv(units * UNIT_BYTES, MIN_CORE_BYTES));
  const uint64_t unitsPerCore = units / usedCores;

  // Beside the queues: the converted operands, and the comparison as one bit and as one float16 per element.
  constexpr uint64_t maskBits = 1;
  constexpr uint64_t selectedBytes = 2;
  const uint64_t bitsPerElement =
      8 * (INPUT_BUFFERS * type.bytes + OUTPUT_BUFFERS + type.widened + selectedBytes) + maskBits;
  const uint64_t usableBytes = ubBytes - RESERVED_UB_BYTES - (INPUT_BUFFERS + 1) * BANK_SHIFT_BYTES;
  const uint64_t bufferUnits = usableBytes * 8 / bitsPerElement / unitLength;
  const uint64_t stepUnits = std::max(CeilDiv(unitsPerCore, STEPS_PER_CORE), MIN_TILE_BYTES / UNIT_BYTES);

  EqualTilingData tiling;
  tiling.set_totalLength(static_cast<uint64_t>(total));
  tiling.set_unitsPerCore(unitsPerCore);
  tiling.set_largerCores(static_cast<uint32_t>(units % usedCores));
  tiling.set_unitLength(static_cast<uint32_t>(unitLength));
  tiling.set_tileLength(static_cast<uint32_t>(std::min(stepUnits, bufferUnits) * unitLength));
  tiling.set_bufferLength(static_cast<uint32_t>(bufferUnits * unitLength));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  context->SetBlockDim(static_cast<uint32_t>(usedCores));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x1 = context->GetInputShape(0);
  gert::Shape* y = context->GetOutputShape(0);
  if (x1 == nullptr || y == nullptr) {
    return GRAPH_FAILED;
  }
  *y = *x1;
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) { return context->SetOutputDataType(0, DT_BOOL); }
}  // namespace ge

namespace ops {
class Equal : public OpDef {
 public:
  explicit Equal(const char* name) : OpDef(name) {
    this->Input("x1")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_UINT8, ge::DT_INT32, ge::DT_UINT32})
        .Format(
            {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat(
            {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("x2")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_UINT8, ge::DT_INT32, ge::DT_UINT32})
        .Format(
            {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat(
            {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL})
        .Format(
            {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat(
            {ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Equal);
}  // namespace ops
