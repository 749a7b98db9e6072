#include "inplace_attn_softmax_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* shape = context->GetInputShape(0);
  if (shape == nullptr || shape->GetStorageShape().GetDimNum() == 0) {
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& x = shape->GetStorageShape();
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  RowNeeds needs;
  needs.columns = static_cast<uint64_t>(x.GetDim(x.GetDimNum() - 1));
  if (needs.columns == 0 || bytes == 0) {
    return ge::GRAPH_FAILED;
  }
  needs.rows = static_cast<uint64_t>(x.GetShapeSize()) / needs.columns;
  needs.inputBytes = bytes;
  needs.outputBytes = bytes;
  needs.works = 2;
  needs.kept = 1;
  needs.smallest = bytes;
  InplaceAttnSoftmaxTilingData tiling;
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
class InplaceAttnSoftmax : public OpDef {
 public:
  explicit InplaceAttnSoftmax(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(InplaceAttnSoftmax);
}  // namespace ops
