#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ForeachLog10, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachLog10 : public OpDef {
 public:
  explicit ForeachLog10(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachLog10);
}  // namespace ops
