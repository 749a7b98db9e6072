#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileInSteps(context, 3); }

REGISTER_TILING_DATA_CLASS(ForeachAddcmulList, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachAddcmulList : public OpDef {
 public:
  explicit ForeachAddcmulList(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::NUMBERS);
    foreach::List(this->Input("x2"), foreach::NUMBERS);
    foreach::List(this->Input("x3"), foreach::NUMBERS);
    foreach::Scalar(this->Input("scalars"), foreach::NUMBERS);
    foreach::List(this->Output("y"), foreach::NUMBERS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachAddcmulList);
}  // namespace ops
