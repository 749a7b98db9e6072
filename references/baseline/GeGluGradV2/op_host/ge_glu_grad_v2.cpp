#include "ge_glu_grad_v2_tiling.h"
#include "op_host/halves.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* dim = attrs->GetAttrPointer<int64_t>(0);
  const int64_t* approximate = attrs->GetAttrPointer<int64_t>(1);
  const bool* left = attrs->GetAttrPointer<bool>(2);
  if (dim == nullptr || approximate == nullptr || left == nullptr) {
    return ge::GRAPH_FAILED;
  }
  RowNeeds needs;
  if (context->GetInputShape(1) == nullptr ||
      !Halves(context->GetInputShape(1)->GetStorageShape(), *dim, needs.rows, needs.columns)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 1));
  needs.inputBytes = 4 * bytes;
  needs.outputBytes = 2 * bytes;
  needs.works = 7;
  needs.smallest = bytes;
  needs.reduces = false;
  needs.rowScalars = false;
  GeGluGradV2TilingData tiling;
  tiling.set_exact(*approximate == 1 ? 0 : 1);
  tiling.set_left(*left ? 1 : 0);
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
class GeGluGradV2 : public OpDef {
 public:
  explicit GeGluGradV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("dy"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    DeclareInput(this->Input("gelu"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    DeclareOutput(this->Output("dx"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    this->Attr("dim").AttrType(OPTIONAL).Int(-1);
    this->Attr("approximate").AttrType(OPTIONAL).Int(1);
    this->Attr("activate_left").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GeGluGradV2);
}  // namespace ops
