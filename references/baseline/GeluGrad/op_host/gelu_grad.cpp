#include "gelu_grad_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  GeluGradTilingData tiling;
  if (!PlanElements(context, SizeOf(context, 0), 2 * bytes, bytes, 5, tiling.rows)) {
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
class GeluGrad : public OpDef {
 public:
  explicit GeluGrad(const char* name) : OpDef(name) {
    DeclareInput(this->Input("dy"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("y"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("z"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(GeluGrad);
}  // namespace ops
