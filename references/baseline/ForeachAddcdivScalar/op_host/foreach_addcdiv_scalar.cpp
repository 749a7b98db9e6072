#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileInSteps(context, 3); }

REGISTER_TILING_DATA_CLASS(ForeachAddcdivScalar, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachAddcdivScalar : public OpDef {
 public:
  explicit ForeachAddcdivScalar(const char* name) : OpDef(name) {
    foreach::List(this->Input("x1"), foreach::FLOATS);
    foreach::List(this->Input("x2"), foreach::FLOATS);
    foreach::List(this->Input("x3"), foreach::FLOATS);
    foreach::Scalar(this->Input("scalar"), foreach::FLOAT_SCALARS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachAddcdivScalar);
}  // namespace ops
