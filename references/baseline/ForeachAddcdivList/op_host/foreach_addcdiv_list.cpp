#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileInSteps(context, 3); }

REGISTER_TILING_DATA_CLASS(ForeachAddcdivList, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachAddcdivList : public OpDef {
 public:
  explicit ForeachAddcdivList(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::FLOATS);
    foreach::List(this->Input("x2"), foreach::FLOATS);
    foreach::List(this->Input("x3"), foreach::FLOATS);
    foreach::Scalar(this->Input("scalars"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachAddcdivList);
}  // namespace ops
