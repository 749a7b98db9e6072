#include "op_host/op_declaration.h"
#include "snrm2_tiling.h"

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
class Snrm2 : public OpDef {
 public:
  explicit Snrm2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_FLOAT});
    DeclareOutput(this->Output("result"), {ge::DT_FLOAT});
    this->Attr("n").AttrType(OPTIONAL).Int(0);
    this->Attr("incx").AttrType(OPTIONAL).Int(1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Snrm2);
}  // namespace ops
