#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1, 1); }

REGISTER_TILING_DATA_CLASS(ForeachRoundOffNumber, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachRoundOffNumber : public OpDef {
 public:
  explicit ForeachRoundOffNumber(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::Scalar(this->Input("roundMode"), foreach::FLOAT_SCALARS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachRoundOffNumber);
}  // namespace ops
