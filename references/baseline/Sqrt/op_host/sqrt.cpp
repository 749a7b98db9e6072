#include <algorithm>

#include "sqrt_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
constexpr uint64_t UNIT_BYTES = 512;              // full-rate burst of global memory
constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // kept free for the device library
constexpr uint64_t QUEUE_BUFFERS = 2 * 2;         // x and y, double-buffered
constexpr uint64_t STEPS_PER_CORE = 4;            // enough steps to hide the first load and the last store
constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;     // one core more costs more than it saves on less
constexpr uint64_t MIN_TILE_BYTES = 2 * 1024;     // below this the fixed cost of a transfer dominates

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// 0 for a type the operator does not take.
uint64_t BytesOf(ge::DataType type) {
  switch (type) {
    case ge::DT_FLOAT16:
    case ge::DT_BF16: return 2;
    case ge::DT_FLOAT: return 4;
    default: return 0;
  }
}
}  // namespace

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const uint64_t cores = platform.GetCoreNumAiv();
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);

  const auto* xShape = context->GetInputShape(0);
  const auto* xDesc = context->GetInputDesc(0);
  if (xShape == nullptr || xDesc == nullptr || cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t elementBytes = BytesOf(xDesc->GetDataType());
  const int64_t total = xShape->GetStorageShape().GetShapeSize();
  if (elementBytes == 0 || total <= 0) {
    return ge::GRAPH_FAILED;
  }

  const uint64_t unitLength = UNIT_BYTES / elementBytes;
  const uint64_t units = CeilDiv(static_cast<uint64_t>(total), unitLength);
  const uint64_t usedCores = std::min(cores, CeilDiv(units * UNIT_BYTES, MIN_CORE_BYTES));
  const uint64_t unitsPerCore = units / usedCores;

  // The 16-bit types are widened in one more buffer.
  const uint64_t widened = elementBytes == sizeof(float) ? 0 : sizeof(float);
  const uint64_t bytesPerElement = QUEUE_BUFFERS * elementBytes + widened;
  const uint64_t bufferUnits = (ubBytes - RESERVED_UB_BYTES) / bytesPerElement / unitLength;
  const uint64_t stepUnits = std::max(CeilDiv(unitsPerCore, STEPS_PER_CORE), MIN_TILE_BYTES / UNIT_BYTES);

  SqrtTilingData tiling;
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
class Sqrt : public OpDef {
 public:
  explicit Sqrt(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Sqrt);
}  // namespace ops
