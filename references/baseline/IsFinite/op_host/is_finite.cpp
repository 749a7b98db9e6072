#include "op_host/elementwise.h"

namespace elementwise {
const Types BOOLS = {ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return elementwise::Tile(context, {1, elementwise::TypeOf(context), ge::DT_BOOL, 2, {}});
}

REGISTER_TILING_DATA_CLASS(IsFinite, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class IsFinite : public OpDef {
 public:
  explicit IsFinite(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::FLOATS);
    elementwise::Tensor(this->Output("y"), elementwise::BOOLS);
    elementwise::Define(*this, optiling::TilingFunc, elementwise::InferBool);
  }
};
OP_ADD(IsFinite);
}  // namespace ops
