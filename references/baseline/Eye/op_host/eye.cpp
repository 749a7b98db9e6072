#include <algorithm>

#include "op_host/elementwise_plan.h"
#include "register/tilingdata_base.h"

namespace optiling {
// The ones of all matrices in a row, cut evenly.
BEGIN_TILING_DATA_DEF(EyeTilingData)
TILING_DATA_FIELD_DEF(uint64_t, ones);         // in all matrices
TILING_DATA_FIELD_DEF(uint64_t, onesPerCore);  // of the cores after the first `largerCores`, which write one more
TILING_DATA_FIELD_DEF(uint64_t, matrixLength);
TILING_DATA_FIELD_DEF(uint32_t, diagonal);  // ones of one matrix
TILING_DATA_FIELD_DEF(uint32_t, columns);
TILING_DATA_FIELD_DEF(uint32_t, largerCores);
END_TILING_DATA_DEF;

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  constexpr int64_t minOnesPerCore = 64;
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  const int64_t cores = platform.GetCoreNumAiv();
  const auto* y = context->GetInputShape(0);
  if (y == nullptr || cores == 0 || y->GetStorageShape().GetDimNum() < 2) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& shape = y->GetStorageShape();
  const int64_t rows = shape.GetDim(shape.GetDimNum() - 2);
  const int64_t columns = shape.GetDim(shape.GetDimNum() - 1);
  const int64_t diagonal = std::min(rows, columns);
  const int64_t matrixLength = rows * columns;
  const int64_t ones = matrixLength == 0 ? 0 : shape.GetShapeSize() / matrixLength * diagonal;
  const int64_t usedCores = std::max<int64_t>(std::min(cores, elementwise::CeilDiv(ones, minOnesPerCore)), 1);

  EyeTilingData tiling;
  tiling.set_ones(static_cast<uint64_t>(ones));
  tiling.set_onesPerCore(static_cast<uint64_t>(ones / usedCores));
  tiling.set_matrixLength(static_cast<uint64_t>(matrixLength));
  tiling.set_diagonal(static_cast<uint32_t>(diagonal));
  tiling.set_columns(static_cast<uint32_t>(columns));
  tiling.set_largerCores(static_cast<uint32_t>(ones % usedCores));
  tiling.SaveToBuffer(context->GetRawTilingData()->GetData(), context->GetRawTilingData()->GetCapacity());
  context->GetRawTilingData()->SetDataSize(tiling.GetDataSize());

  context->SetBlockDim(static_cast<uint32_t>(usedCores));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}

REGISTER_TILING_DATA_CLASS(Eye, EyeTilingData)
}  // namespace optiling

namespace {
ge::graphStatus InferShape(gert::InferShapeContext* context) { return ge::CopyShape(context, 0, 0); }

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}
}  // namespace

namespace ops {
class Eye : public OpDef {
 public:
  explicit Eye(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32};
    DeclareInput(this->Input("y"), types);
    DeclareOutput(this->Output("y"), types);
    this->Attr("num_rows").AttrType(REQUIRED).Int();
    this->Attr("num_columns").AttrType(OPTIONAL).Int(0);
    this->Attr("batch_shape").AttrType(OPTIONAL).ListInt({});
    this->Attr("dtype").AttrType(OPTIONAL).Int(0);
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(Eye);
}  // namespace ops
