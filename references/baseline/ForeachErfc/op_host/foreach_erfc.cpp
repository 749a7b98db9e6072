#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return foreach::TileUniform(context, 1, 0, elementwise::LibraryOf(AscendC::GetErfcTmpBufferFactorSize));
}

REGISTER_TILING_DATA_CLASS(ForeachErfc, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachErfc : public OpDef {
 public:
  explicit ForeachErfc(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::FLOATS);
    foreach::List(this->Output("y"), foreach::FLOATS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachErfc);
}  // namespace ops
