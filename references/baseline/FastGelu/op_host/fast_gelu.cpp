#include "fast_gelu_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  FastGeluTilingData tiling;
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
class FastGelu : public OpDef {
 public:
  explicit FastGelu(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT, ge::DT_FLOAT16});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(FastGelu);
}  // namespace ops
