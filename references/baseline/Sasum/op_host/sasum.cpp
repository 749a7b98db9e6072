#include "op_host/op_declaration.h"
#include "sasum_tiling.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return TileVector(context, 1, BytesOf(TypeOf(context, 0)), SizeOf(context, 0));
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) { return ScalarShape(context); }

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class Sasum : public OpDef {
 public:
  explicit Sasum(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT, ge::DT_FLOAT16});
    DeclareOutput(this->Output("result"), {ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Attr("n").AttrType(OPTIONAL).Int(0);
    this->Attr("incx").AttrType(OPTIONAL).Int(1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Sasum);
}  // namespace ops
