#include "op_host/elementwise.h"

namespace elementwise {
const Types NUMBERS = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_BF16, ge::DT_INT32, ge::DT_INT8};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return elementwise::TileUniform(context, 1, elementwise::TypeOf(context) == ge::DT_INT8 ? 2 : 0);
}

REGISTER_TILING_DATA_CLASS(Neg, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Neg : public OpDef {
 public:
  explicit Neg(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::NUMBERS);
    elementwise::Tensor(this->Output("y"), elementwise::NUMBERS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Neg);
}  // namespace ops
