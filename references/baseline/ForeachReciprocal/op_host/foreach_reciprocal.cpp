#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1, 1); }

REGISTER_TILING_DATA_CLASS(ForeachReciprocal, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachReciprocal : public OpDef {
 public:
  explicit ForeachReciprocal(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachReciprocal);
}  // namespace ops
