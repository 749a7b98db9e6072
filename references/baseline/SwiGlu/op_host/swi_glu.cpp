#include "op_host/halves.h"
#include "op_host/op_declaration.h"
#include "swi_glu_tiling.h"

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
  if (context->GetInputShape(0) == nullptr ||
      !Halves(context->GetInputShape(0)->GetStorageShape(), *dim, needs.rows, needs.columns)) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  needs.inputBytes = 2 * bytes;
  needs.outputBytes = bytes;
  needs.works = 3;
  needs.smallest = bytes;
  needs.reduces = false;
  needs.rowScalars = false;
  SwiGluTilingData tiling;
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
  for (size_t output = 0; output < 1; ++output) {
    if (HalvedShape(context, dim, output) != GRAPH_SUCCESS) {
      return GRAPH_FAILED;
    }
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class SwiGlu : public OpDef {
 public:
  explicit SwiGlu(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("dim").AttrType(OPTIONAL).Int(-1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(SwiGlu);
}  // namespace ops
