#include "op_host/op_declaration.h"
#include "strideslice_neg_concat_v2_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* shape = context->GetInputShape(0);
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() == 0 || bytes == 0 || SizeOf(context, 0) == 0) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  RowNeeds needs;
  needs.columns = static_cast<uint64_t>(x.GetDim(x.GetDimNum() - 1));
  needs.rows = SizeOf(context, 0) / needs.columns;
  needs.inputBytes = bytes;
  needs.outputBytes = bytes;
  needs.works = 2;
  needs.smallest = bytes;
  needs.reduces = false;
  needs.rowScalars = false;
  StridesliceNegConcatV2TilingData tiling;
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class StridesliceNegConcatV2 : public OpDef {
 public:
  explicit StridesliceNegConcatV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("input"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("output"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(StridesliceNegConcatV2);
}  // namespace ops
