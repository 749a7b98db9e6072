#include "op_host/op_declaration.h"
#include "swish_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* scale = attrs->GetAttrPointer<float>(0);
  if (scale == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  SwishTilingData tiling;
  if (!PlanElements(context, SizeOf(context, 0), bytes, bytes, 2, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  tiling.set_scale(*scale);
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
class Swish : public OpDef {
 public:
  explicit Swish(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("scale").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Swish);
}  // namespace ops
