#include "op_host/elementwise.h"

namespace elementwise {
const Types TYPES = {ge::DT_BF16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT64, ge::DT_COMPLEX64};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const ge::DataType type = elementwise::TypeOf(context);
  switch (type) {
    case ge::DT_INT32: return elementwise::Tile(context, {1, type, type, 1, {}});
    case ge::DT_INT64: return elementwise::Tile(context, {1, type, type, 10, {}});
    case ge::DT_COMPLEX64: return elementwise::Tile(context, {1, type, type, 4, {}});
    default: return elementwise::TileUniform(context, 1);
  }
}

REGISTER_TILING_DATA_CLASS(AbsMath, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class AbsMath : public OpDef {
 public:
  explicit AbsMath(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::TYPES);
    elementwise::Tensor(this->Output("y"), elementwise::TYPES);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(AbsMath);
}  // namespace ops
