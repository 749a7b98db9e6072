#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ForeachExp, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachExp : public OpDef {
 public:
  explicit ForeachExp(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachExp);
}  // namespace ops
