#include "op_host/elementwise.h"

namespace elementwise {
const Types SINGLE = {ge::DT_FLOAT};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  const float* alpha = attrs == nullptr ? nullptr : attrs->GetAttrPointer<float>(0);
  if (alpha == nullptr) {
    return ge::GRAPH_FAILED;
  }
  return elementwise::Tile(context, {1, ge::DT_FLOAT, ge::DT_FLOAT, 0, {}}, *alpha);
}

REGISTER_TILING_DATA_CLASS(Sscal, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Sscal : public OpDef {
 public:
  explicit Sscal(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::SINGLE);
    elementwise::Tensor(this->Output("x"), elementwise::SINGLE);
    this->Attr("alpha").AttrType(OPTIONAL).Float(1.0);
    this->Attr("n").AttrType(OPTIONAL).Int(0);
    this->Attr("incx").AttrType(OPTIONAL).Int(1);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Sscal);
}  // namespace ops
