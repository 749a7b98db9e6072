#include "op_host/elementwise.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return elementwise::TileUniform(context, 1, 0, elementwise::LibraryOf(AscendC::GetCosTmpBufferFactorSize));
}

REGISTER_TILING_DATA_CLASS(CosMath, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class CosMath : public OpDef {
 public:
  explicit CosMath(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::FLOATS);
    elementwise::Tensor(this->Output("y"), elementwise::FLOATS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(CosMath);
}  // namespace ops
