#include "op_host/elementwise.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return elementwise::TileUniform(context, 1, 0, elementwise::LibraryOf(AscendC::GetSinTmpBufferFactorSize));
}

REGISTER_TILING_DATA_CLASS(SinMath, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class SinMath : public OpDef {
 public:
  explicit SinMath(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::FLOATS);
    elementwise::Tensor(this->Output("y"), elementwise::FLOATS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(SinMath);
}  // namespace ops
