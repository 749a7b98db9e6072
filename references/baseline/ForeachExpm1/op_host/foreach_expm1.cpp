#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ForeachExpm1, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachExpm1 : public OpDef {
 public:
  explicit ForeachExpm1(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachExpm1);
}  // namespace ops
