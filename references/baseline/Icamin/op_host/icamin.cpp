#include "icamin_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return TileVector(context, 2, sizeof(float), SizeOf(context, 0));
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) { return ScalarShape(context); }

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, DT_INT32);
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class Icamin : public OpDef {
 public:
  explicit Icamin(const char* name) : OpDef(name) {
    DeclareInput(this->Input("x"), {ge::DT_COMPLEX64});
    DeclareOutput(this->Output("result"), {ge::DT_INT32});
    this->Attr("n").AttrType(OPTIONAL).Int(0);
    this->Attr("incx").AttrType(OPTIONAL).Int(1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(Icamin);
}  // namespace ops
