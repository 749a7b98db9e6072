#include "ge_glu_v2_tiling.h"
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
  if (context->GetInputShape(0) == nullptr ||
      !Halves(context->GetInputShape(0)->GetStorageShape(), *dim, needs.rows, needs.columns)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  needs.inputBytes = 2 * bytes;
  needs.outputBytes = 2 * bytes;
  needs.works = 6;
  needs.smallest = bytes;
  needs.reduces = false;
  needs.rowScalars = false;
  GeGluV2TilingData tiling;
  tiling.set_exact(*approximate == 0 ? 1 : 0);
  tiling.set_left(*left ? 1 : 0);
  if (!PlanRows(context, needs, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const auto* attrs = context->GetAttrs();
  const int64_t* axis = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(0);
  if (axis == nullptr) {
    return GRAPH_FAILED;
  }
  const int64_t dim = *axis;
  for (size_t output = 0; output < 2; ++output) {
    if (HalvedShape(context, dim, output) != GRAPH_SUCCESS) {
      return GRAPH_FAILED;
    }
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class GeGluV2 : public OpDef {
 public:
  explicit GeGluV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    DeclareOutput(this->Output("gelu"), {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT});
    this->Attr("dim").AttrType(OPTIONAL).Int(-1);
    this->Attr("approximate").AttrType(OPTIONAL).Int(0);
    this->Attr("activate_left").AttrType(OPTIONAL).Bool(true);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GeGluV2);
}  // namespace ops
