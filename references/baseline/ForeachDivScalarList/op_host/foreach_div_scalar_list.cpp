#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1, 1); }

REGISTER_TILING_DATA_CLASS(ForeachDivScalarList, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachDivScalarList : public OpDef {
 public:
  explicit ForeachDivScalarList(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::Scalar(this->Input("scalars"), foreach::FLOAT_LIST);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachDivScalarList);
}  // namespace ops
