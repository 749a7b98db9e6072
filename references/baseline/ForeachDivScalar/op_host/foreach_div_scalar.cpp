#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1, 1); }

REGISTER_TILING_DATA_CLASS(ForeachDivScalar, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachDivScalar : public OpDef {
 public:
  explicit ForeachDivScalar(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::Scalar(this->Input("scalar"), foreach::FLOAT_SCALARS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachDivScalar);
}  // namespace ops
