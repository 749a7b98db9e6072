#include "op_host/op_declaration.h"
#include "pre_layer_norm_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const float* epsilon = attrs->GetAttrPointer<float>(0);
  if (epsilon == nullptr) {
    return ge::GRAPH_FAILED;
  }
  NormInputs inputs;
  inputs.x1 = 0;
  inputs.x2 = 1;
  inputs.gamma = 2;
  inputs.beta = 3;
  NormOutputs outputs;
  outputs.bytes = sizeof(float);
  NormTiling tiling;
  if (!PlanNorm(context, inputs, outputs, *epsilon, 1.0f, tiling)) {
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
class PreLayerNorm : public OpDef {
 public:
  explicit PreLayerNorm(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT});
    DeclareInput(this->Input("y"), {ge::DT_FLOAT});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT});
    DeclareInput(this->Input("beta"), {ge::DT_FLOAT});
    DeclareOutput(this->Output("res_out"), {ge::DT_FLOAT});
    this->Attr("epsilon").AttrType(REQUIRED).Float();
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(PreLayerNorm);
}  // namespace ops
