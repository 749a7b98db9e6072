#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 2); }

REGISTER_TILING_DATA_CLASS(ForeachDivList, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachDivList : public OpDef {
 public:
  explicit ForeachDivList(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::FLOATS);
    foreach::List(this->Input("x2"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachDivList);
}  // namespace ops
