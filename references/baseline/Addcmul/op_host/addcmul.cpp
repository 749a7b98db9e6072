#include "op_host/elementwise.h"

namespace elementwise {
const Types NUMBERS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_BF16};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileInSteps(context, 3); }

REGISTER_TILING_DATA_CLASS(Addcmul, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Addcmul : public OpDef {
 public:
  explicit Addcmul(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("input_data"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("x1"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("x2"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("value"), elementwise::NUMBERS);
    elementwise::Tensor(this->Output("y"), elementwise::NUMBERS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Addcmul);
}  // namespace ops
