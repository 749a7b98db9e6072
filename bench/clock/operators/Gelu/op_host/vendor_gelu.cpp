#include "op_host/elementwise.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return elementwise::TileUniform(context, 1, 2); }

REGISTER_TILING_DATA_CLASS(VendorGelu, ElementwiseTilingData)
}  // namespace optiling

namespace ops {
class VendorGelu : public OpDef {
 public:
  explicit VendorGelu(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("x"), elementwise::FLOATS);
    elementwise::Tensor(this->Output("y"), elementwise::FLOATS);
    elementwise::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(VendorGelu);
}  // namespace ops
