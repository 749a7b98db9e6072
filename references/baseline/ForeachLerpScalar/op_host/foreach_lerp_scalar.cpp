#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 2); }

REGISTER_TILING_DATA_CLASS(ForeachLerpScalar, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachLerpScalar : public OpDef {
 public:
  explicit ForeachLerpScalar(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::FLOATS);
    foreach::List(this->Input("x2"), foreach::FLOATS);
    foreach::Scalar(this->Input("weight"), foreach::FLOAT_LIST);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachLerpScalar);
}  // namespace ops
