#include "add_layer_norm_grad_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  NormGradNeeds needs;
  needs.inputs = 3;
  needs.gamma = 5;
  needs.dsum = SizeOf(context, 6) != 0;
  NormGradTiling tiling;
  if (!PlanNormGrad(context, needs, 1.0f, tiling)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 5, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 5, 2) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  context->SetOutputDataType(2, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class AddLayerNormGrad : public OpDef {
 public:
  explicit AddLayerNormGrad(const char* name) : OpDef(name) {
    DeclareInput(this->Input("dy"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("x1"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("x2"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("rstd"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("mean"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("dsum"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16}, OPTIONAL);
    DeclareOutput(this->Output("dx"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("dgamma"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("dbeta"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(AddLayerNormGrad);
}  // namespace ops
