#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileInSteps(context, 2); }

REGISTER_TILING_DATA_CLASS(ForeachSubList, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachSubList : public OpDef {
 public:
  explicit ForeachSubList(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::NUMBERS);
    foreach::List(this->Input("x2"), foreach::NUMBERS);
    foreach::Scalar(this->Input("alpha"), foreach::SCALARS);
    foreach::List(this->Output("y"), foreach::NUMBERS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachSubList);
}  // namespace ops
