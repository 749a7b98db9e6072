#include "op_host/elementwise.h"

namespace elementwise {
const Types TYPES = {ge::DT_BF16,  ge::DT_FLOAT16, ge::DT_FLOAT,    ge::DT_INT32,
                     ge::DT_INT16, ge::DT_INT64,   ge::DT_COMPLEX64};
const Types VALUES(7, ge::DT_FLOAT);
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(Muls, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Muls : public OpDef {
 public:
  explicit Muls(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::TYPES);
    elementwise::Tensor(this->Input("value"), elementwise::VALUES);
    elementwise::Tensor(this->Output("y"), elementwise::TYPES);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Muls);
}  // namespace ops
