#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return foreach::TileUniform(context, 1, 0, elementwise::LibraryOf(AscendC::GetTanTmpBufferFactorSize));
}

REGISTER_TILING_DATA_CLASS(ForeachTan, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachTan : public OpDef {
 public:
  explicit ForeachTan(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachTan);
}  // namespace ops
