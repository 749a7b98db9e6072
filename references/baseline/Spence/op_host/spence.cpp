#include "op_host/elementwise.h"

namespace elementwise {
const Types TYPES = {ge::DT_FLOAT16, ge::DT_FLOAT};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const int64_t slots = 6 + elementwise::WidenedSlots(elementwise::TypeOf(context), 2);
  return elementwise::Tile(context, {1, elementwise::TypeOf(context), elementwise::TypeOf(context), slots, {}});
}

REGISTER_TILING_DATA_CLASS(Spence, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Spence : public OpDef {
 public:
  explicit Spence(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::TYPES);
    elementwise::Tensor(this->Output("y"), elementwise::TYPES);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Spence);
}  // namespace ops
