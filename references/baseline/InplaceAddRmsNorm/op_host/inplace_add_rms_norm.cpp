#include "inplace_add_rms_norm_tiling.h"
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
  outputs.bytes = 2 * BytesOf(TypeOf(context, 0));
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
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS || ReducedShape(context, 0, 2, 1) != GRAPH_SUCCESS ||
      CopyShape(context, 0, 2) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, DT_FLOAT);
  context->SetOutputDataType(2, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class InplaceAddRmsNorm : public OpDef {
 public:
  explicit InplaceAddRmsNorm(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x1"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("x2"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("x1"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("rstd"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    DeclareOutput(this->Output("x2"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("epsilon").AttrType(OPTIONAL).Float(1e-6f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(InplaceAddRmsNorm);
}  // namespace ops
