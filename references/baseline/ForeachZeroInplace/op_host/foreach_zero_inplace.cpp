#include "op_host/foreach.h"

namespace foreach {
const Types WORDS = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT16, ge::DT_BF16};
}  // namespace foreach

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ForeachZeroInplace, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachZeroInplace : public OpDef {
 public:
  explicit ForeachZeroInplace(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::WORDS);
    foreach::List(this->Output("x"), foreach::WORDS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachZeroInplace);
}  // namespace ops
