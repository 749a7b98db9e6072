#include "op_host/elementwise.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileInSteps(context, 3); }

REGISTER_TILING_DATA_CLASS(Addcdiv, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Addcdiv : public OpDef {
 public:
  explicit Addcdiv(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("input_data"), elementwise::FLOATS);
    elementwise::Tensor(this->Input("x1"), elementwise::FLOATS);
    elementwise::Tensor(this->Input("x2"), elementwise::FLOATS);
    elementwise::Tensor(this->Input("value"), elementwise::FLOATS);
    elementwise::Tensor(this->Output("y"), elementwise::FLOATS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Addcdiv);
}  // namespace ops
