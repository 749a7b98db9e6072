#include "op_host/elementwise.h"

namespace elementwise {
const Types ENDS = {ge::DT_FLOAT16, ge::DT_FLOAT};
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileUniform(context, 3); }

REGISTER_TILING_DATA_CLASS(Lerp, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class Lerp : public OpDef {
 public:
  explicit Lerp(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("start"), elementwise::ENDS);
    elementwise::Tensor(this->Input("end"), elementwise::ENDS);
    elementwise::Tensor(this->Input("weight"), elementwise::ENDS);
    elementwise::Tensor(this->Output("y"), elementwise::ENDS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(Lerp);
}  // namespace ops
