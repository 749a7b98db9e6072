#include "mul_mul_reduce_mean_d_twice_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  NormInputs inputs;
  inputs.x1 = 0;
  inputs.x2 = 1;
  inputs.gamma = 4;
  inputs.beta = 5;
  NormOutputs outputs;
  outputs.bytes = BytesOf(TypeOf(context, 0));
  NormTiling tiling;
  if (!PlanNorm(context, inputs, outputs, 0.0f, 1.0f, tiling)) {
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
class MulMulReduceMeanDTwice : public OpDef {
 public:
  explicit MulMulReduceMeanDTwice(const char* name) : OpDef(name) {
    DeclareInput(this->Input("mul0_input0"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("mul0_input1"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("mul1_input0"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("add_y"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("gamma"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("beta"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("output"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MulMulReduceMeanDTwice);
}  // namespace ops
