#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ForeachMaximumScalar, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachMaximumScalar : public OpDef {
 public:
  explicit ForeachMaximumScalar(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::NUMBERS);
    foreach::Scalar(this->Input("scalar"), foreach::SCALARS);
    foreach::List(this->Output("y"), foreach::NUMBERS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachMaximumScalar);
}  // namespace ops
