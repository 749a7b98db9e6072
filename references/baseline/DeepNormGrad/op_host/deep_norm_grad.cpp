#include "deep_norm_grad_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  const float* alpha = attrs == nullptr ? nullptr : attrs->GetAttrPointer<float>(0);
  if (alpha == nullptr) {
    return ge::GRAPH_FAILED;
  }
  NormGradNeeds needs;
  needs.inputs = 3;
  needs.outputs = 2;
  needs.gamma = 3;
  NormGradTiling tiling;
  if (!PlanNormGrad(context, needs, *alpha, tiling)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 0, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 3, 2) != GRAPH_SUCCESS || CopyShape(context, 3, 3) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, context->GetInputDataType(0));
  context->SetOutputDataType(2, DT_FLOAT);
  context->SetOutputDataType(3, DT_FLOAT);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class DeepNormGrad : public OpDef {
 public:
  explicit DeepNormGrad(const char* name) : OpDef(name) {
    DeclareInput(this->Input("dy"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("gx"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("mean"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareInput(this->Input("rstd"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("dx"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("dgx"), {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("dbeta"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("dgamma"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->Attr("alpha").AttrType(OPTIONAL).Float(0.3f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(DeepNormGrad);
}  // namespace ops
