#include "op_host/elementwise.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return elementwise::TileUniform(context, 1, 0, elementwise::LibraryOf(AscendC::GetTanhTmpBufferFactorSize));
}

REGISTER_TILING_DATA_CLASS(TanhMath, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class TanhMath : public OpDef {
 public:
  explicit TanhMath(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::FLOATS);
    elementwise::Tensor(this->Output("y"), elementwise::FLOATS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(TanhMath);
}  // namespace ops
