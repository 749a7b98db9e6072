#include "op_host/elementwise.h"

namespace elementwise {
const Types HALF = {ge::DT_FLOAT16};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileUniform(context, 2); }

REGISTER_TILING_DATA_CLASS(UnalignAdd, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class UnalignAdd : public OpDef {
 public:
  explicit UnalignAdd(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::HALF);
    elementwise::Tensor(this->Input("y"), elementwise::HALF);
    elementwise::Tensor(this->Output("z"), elementwise::HALF);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(UnalignAdd);
}  // namespace ops
