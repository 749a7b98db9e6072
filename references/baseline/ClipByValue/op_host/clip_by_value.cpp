#include "op_host/elementwise.h"

namespace elementwise {
const Types NUMBERS = {ge::DT_FLOAT, ge::DT_FLOAT16, ge::DT_INT32};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ClipByValue, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class ClipByValue : public OpDef {
 public:
  explicit ClipByValue(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("clip_value_min"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("clip_value_max"), elementwise::NUMBERS);
    elementwise::Tensor(this->Output("y"), elementwise::NUMBERS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ClipByValue);
}  // namespace ops
