#include "complex_mat_dot_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  constexpr uint64_t PARTS = 2;
  ComplexMatDotTilingData tiling;
  if (SizeOf(context, 0) != SizeOf(context, 1) ||
      !PlanElements(context, PARTS * SizeOf(context, 0), 2 * sizeof(float), sizeof(float), 7, tiling.rows)) {
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
class ComplexMatDot : public OpDef {
 public:
  explicit ComplexMatDot(const char* name) : OpDef(name) {
    DeclareInput(this->Input("matx"), {ge::DT_COMPLEX64});
    DeclareInput(this->Input("maty"), {ge::DT_COMPLEX64});
    DeclareOutput(this->Output("result"), {ge::DT_COMPLEX64});
    this->Attr("m").AttrType(OPTIONAL).Int(1);
    this->Attr("n").AttrType(OPTIONAL).Int(1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(ComplexMatDot);
}  // namespace ops
