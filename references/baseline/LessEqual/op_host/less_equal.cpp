#include "op_host/elementwise.h"

namespace elementwise {
const Types NUMBERS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32};
const Types BOOLS = {ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  return elementwise::Tile(context, {2, elementwise::TypeOf(context), ge::DT_BOOL, 4, {}});
}

REGISTER_TILING_DATA_CLASS(LessEqual, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class LessEqual : public OpDef {
 public:
  explicit LessEqual(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x1"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("x2"), elementwise::NUMBERS);
    elementwise::Tensor(this->Output("y"), elementwise::BOOLS);
    elementwise::Define(*this, optiling::TilingFunc, elementwise::InferBool);
  }
};
OP_ADD(LessEqual);
}  // namespace ops
