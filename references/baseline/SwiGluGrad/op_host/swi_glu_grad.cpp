#include "op_host/halves.h"
#include "op_host/op_declaration.h"
#include "swi_glu_grad_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* dim = attrs->GetAttrPointer<int64_t>(0);
  if (dim == nullptr) {
    return ge::GRAPH_FAILED;
  }
  RowNeeds needs;
  if (context->GetInputShape(1) == nullptr ||
      !Halves(context->GetInputShape(1)->GetStorageShape(), *dim, needs.rows, needs.columns)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 1));
  needs.inputBytes = 3 * bytes;
  needs.outputBytes = 2 * bytes;
  needs.works = 6;
  needs.smallest = bytes;
  needs.reduces = false;
  needs.rowScalars = false;
  SwiGluGradTilingData tiling;
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 1, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(1));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class SwiGluGrad : public OpDef {
 public:
  explicit SwiGluGrad(const char* name) : OpDef(name) {
    DeclareInput(this->Input("y_grad"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("x_grad"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("dim").AttrType(OPTIONAL).Int(-1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(SwiGluGrad);
}  // namespace ops
