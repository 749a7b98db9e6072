#include "op_host/elementwise.h"

namespace elementwise {
const Types NUMBERS = {ge::DT_BF16,  ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8,
                       ge::DT_UINT8, ge::DT_INT32,   ge::DT_INT64};
const Types BOOLS = {ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL, ge::DT_BOOL};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const ge::DataType type = elementwise::TypeOf(context);
  return elementwise::Tile(context, {2, type, ge::DT_BOOL, type == ge::DT_INT64 ? 8 : 4, {}});
}

REGISTER_TILING_DATA_CLASS(Less, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Less : public OpDef {
 public:
  explicit Less(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x1"), elementwise::NUMBERS);
    elementwise::Tensor(this->Input("x2"), elementwise::NUMBERS);
    elementwise::Tensor(this->Output("y"), elementwise::BOOLS);
    elementwise::Define(*this, optiling::TilingFunc, elementwise::InferBool);
  }
};
OP_ADD(Less);
}  // namespace ops
