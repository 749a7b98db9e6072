#include <algorithm>

#include "register/op_def_registry.h"
#include "rms_norm_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace {
constexpr uint64_t WHOLE_ROWS = 1;  // tiling keys: several rows fit the unified buffer, or not even one
constexpr uint64_t SPLIT_ROWS = 2;

constexpr uint64_t BLOCK_BYTES = 32;
constexpr uint64_t RESERVED_UB_BYTES = 8 * 1024;  // kept free for the device library
constexpr uint64_t SLACK_BYTES = 1024;            // small buffers, rounding to blocks, blocks that shift buffers
constexpr uint64_t DOUBLE = 2;
constexpr uint64_t FLOAT_BYTES = sizeof(float);
constexpr uint64_t LANES = 64;                 // float32 elements of one vector repeat
constexpr uint64_t MAX_ROWS_PER_TILE = 248;    // repeats of one instruction end at 255; a multiple of 8 for Brcb
constexpr uint64_t MAX_TILE_COLUMNS = 16320;   // 255 repeats
constexpr uint64_t STEPS_PER_CORE = 4;         // enough steps to hide the first load and the last store
constexpr uint64_t MIN_CORE_BYTES = 2 * 1024;  // one core more costs more than it saves on less
constexpr uint64_t MIN_TILE_BYTES = 2 * 1024;  // below this the fixed cost of a transfer dominates

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
  const auto* gammaShape = context->GetInputShape(1);
  const auto* xDesc = context->GetInputDesc(0);
  const auto* gammaDesc = context->GetInputDesc(1);
  const auto* attrs = context->GetAttrs();
  if (xShape == nullptr || gammaShape == nullptr || xDesc == nullptr || gammaDesc == nullptr || attrs == nullptr ||
      cores == 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t xBytes = BytesOf(xDesc->GetDataType());
  const uint64_t gammaBytes = BytesOf(gammaDesc->GetDataType());
  const bool sameType = gammaDesc->GetDataType() == xDesc->GetDataType();
  if (xBytes == 0 || (!sameType && gammaDesc->GetDataType() != ge::DT_FLOAT)) {
    return ge::GRAPH_FAILED;
  }
  const float* epsilon = attrs->GetAttrPointer<float>(0);
  const gert::Shape& x = xShape->GetStorageShape();
  const int64_t total = x.GetShapeSize();
  const int64_t columns = gammaShape->GetStorageShape().GetShapeSize();
  if (epsilon == nullptr || total <= 0 || columns <= 0 || columns > UINT32_MAX || x.GetDimNum() == 0 ||
      x.GetDim(x.GetDimNum() - 1) != columns) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rows = static_cast<uint64_t>(total / columns);
  const uint64_t usedCores = std::min({cores, rows, CeilDiv(static_cast<uint64_t>(total) * xBytes, MIN_CORE_BYTES)});
  const uint64_t rowsPerCore = rows / usedCores;

  // x and y wait in queues; 16-bit x is widened in one more buffer; squares have their own. Gamma stays, in float32.
  const uint64_t usableBytes = ubBytes - RESERVED_UB_BYTES - SLACK_BYTES;
  const uint64_t wideBytes = xBytes == FLOAT_BYTES ? 0 : FLOAT_BYTES;
  const uint64_t wideGammaBytes = gammaBytes == FLOAT_BYTES ? 0 : FLOAT_BYTES;
  const uint64_t blockLength = BLOCK_BYTES / xBytes;
  const uint64_t alignedColumns = CeilDiv(static_cast<uint64_t>(columns), blockLength) * blockLength;
  const uint64_t residentBytes = alignedColumns * (gammaBytes + wideGammaBytes);
  // Of each row, beside its elements: rstd (double-buffered), the sum, a one, and rstd spread over a block.
  const uint64_t rowBytes =
      alignedColumns * (DOUBLE * xBytes * 2 + wideBytes + FLOAT_BYTES) + FLOAT_BYTES * (DOUBLE + 2) + BLOCK_BYTES;
  const uint64_t bufferRows = usableBytes > residentBytes ? (usableBytes - residentBytes) / rowBytes : 0;

  RmsNormTilingData tiling;
  tiling.set_rowsPerCore(rowsPerCore);
  tiling.set_largerCores(static_cast<uint32_t>(rows % usedCores));
  tiling.set_columns(static_cast<uint32_t>(columns));
  tiling.set_reciprocal(1.0f / static_cast<float>(columns));
  tiling.set_epsilon(*epsilon);
  if (bufferRows > 0) {
    const uint64_t worthwhileRows = CeilDiv(MIN_TILE_BYTES, alignedColumns * xBytes);
    const uint64_t stepRows = std::max(CeilDiv(rowsPerCore, STEPS_PER_CORE), worthwhileRows);
    tiling.set_rowsPerTile(static_cast<uint32_t>(std::min({stepRows, bufferRows, MAX_ROWS_PER_TILE})));
    tiling.set_bufferRows(static_cast<uint32_t>(bufferRows));
    tiling.set_tileColumns(0);
    context->SetTilingKey(WHOLE_ROWS);
  } else {
    // x, gamma and y wait in queues; widened (or squared) x, the running sums and widened gamma have a buffer each.
    const uint64_t columnBytes = DOUBLE * (2 * xBytes + gammaBytes) + 2 * FLOAT_BYTES + wideGammaBytes;
    const uint64_t tileColumns = std::min(usableBytes / columnBytes, MAX_TILE_COLUMNS) / LANES * LANES;
    tiling.set_rowsPerTile(0);
    tiling.set_bufferRows(0);
    tiling.set_tileColumns(static_cast<uint32_t>(tileColumns));
    context->SetTilingKey(SPLIT_ROWS);
  }
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
  const gert::Shape* gamma = context->GetInputShape(1);
  gert::Shape* y = context->GetOutputShape(0);
  gert::Shape* rstd = context->GetOutputShape(1);
  if (x == nullptr || gamma == nullptr || y == nullptr || rstd == nullptr || x->GetDimNum() < gamma->GetDimNum()) {
    return GRAPH_FAILED;
  }
  *y = *x;
  *rstd = *x;
  for (size_t i = x->GetDimNum() - gamma->GetDimNum(); i < x->GetDimNum(); ++i) {
    rstd->SetDim(i, 1);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class RmsNorm : public OpDef {
 public:
  explicit RmsNorm(const char* name) : OpDef(name) {
    this->Input("x")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Input("gamma")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .AutoContiguous();
    this->Output("y")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Output("rstd")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND})
        .UnknownShapeFormat({ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND, ge::FORMAT_ND});
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(RmsNorm);
}  // namespace ops
