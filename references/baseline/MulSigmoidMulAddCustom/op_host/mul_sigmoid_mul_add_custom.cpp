#include "mul_sigmoid_mul_add_custom_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  MulSigmoidMulAddCustomTilingData tiling;
  if (!PlanElements(context, SizeOf(context, 0), bytes, bytes, 3, tiling.rows)) {
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
class MulSigmoidMulAddCustom : public OpDef {
 public:
  explicit MulSigmoidMulAddCustom(const char* name) : OpDef(name) {
    DeclareInput(this->Input("input"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("mulscalar1"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("mulscalar2"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("addscalar3"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("outputs"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MulSigmoidMulAddCustom);
}  // namespace ops
