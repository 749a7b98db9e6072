#include "non_finite_check_op_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  constexpr int64_t SLOTS = 2;  // widened elements, and what they add up to
  const ge::DataType type = foreach::TypeOf(context);
  return foreach::Tile(context, {1, type, type, SLOTS, {}});
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  gert::Shape* found = context->GetOutputShape(0);
  if (found == nullptr) {
    return GRAPH_FAILED;
  }
  found->SetDimNum(1);
  found->SetDim(0, 1);
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, DT_FLOAT);
}
}  // namespace ge

namespace ops {
class NonFiniteCheckOp : public OpDef {
 public:
  explicit NonFiniteCheckOp(const char* name) : OpDef(name) {
    DeclareInput(this->Input("tensor_list"), {ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT}, DYNAMIC);
    DeclareOutput(this->Output("found_flag"), {ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_FLOAT});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(NonFiniteCheckOp);
}  // namespace ops
