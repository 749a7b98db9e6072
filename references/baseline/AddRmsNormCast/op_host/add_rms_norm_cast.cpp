#include "add_rms_norm_cast_tiling.h"
#include "op_host/op_declaration.h"

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
  NormOutputs outputs;
  outputs.bytes = sizeof(float) + 2 * BytesOf(TypeOf(context, 0));
  outputs.sum = true;
  NormTiling tiling;
  if (!PlanNorm(context, inputs, outputs, *epsilon, 1.0f, tiling)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || CopyShape(context, 0, 1) != GRAPH_SUCCESS ||
      ReducedShape(context, 0, 2, 2) != GRAPH_SUCCESS || CopyShape(context, 0, 3) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, DT_FLOAT);
  context->SetOutputDataType(1, context->GetInputDataType(0));
  context->SetOutputDataType(2, DT_FLOAT);
  context->SetOutputDataType(3, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class AddRmsNormCast : public OpDef {
 public:
  explicit AddRmsNormCast(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x1"), {ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("x2"), {ge::DT_FLOAT16, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("y1"), {ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("y2"), {ge::DT_FLOAT16, ge::DT_BF16});
    DeclareOutput(this->Output("rstd"), {ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("x"), {ge::DT_FLOAT16, ge::DT_BF16});
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(AddRmsNormCast);
}  // namespace ops
