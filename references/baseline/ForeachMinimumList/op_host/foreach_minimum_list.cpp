#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 2); }

REGISTER_TILING_DATA_CLASS(ForeachMinimumList, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachMinimumList : public OpDef {
 public:
  explicit ForeachMinimumList(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::NUMBERS);
    foreach::List(this->Input("x2"), foreach::NUMBERS);
    foreach::List(this->Output("y"), foreach::NUMBERS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachMinimumList);
}  // namespace ops
