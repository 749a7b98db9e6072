#include "op_host/foreach.h"

namespace foreach {
const Types ALL = {ge::DT_FLOAT16, ge::DT_FLOAT,  ge::DT_INT32,  ge::DT_BF16,   ge::DT_INT8, ge::DT_UINT8,
                   ge::DT_INT16,   ge::DT_UINT16, ge::DT_UINT32, ge::DT_DOUBLE, ge::DT_BOOL, ge::DT_INT64};
}  // namespace foreach

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1); }

REGISTER_TILING_DATA_CLASS(ForeachCopy, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachCopy : public OpDef {
 public:
  explicit ForeachCopy(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::ALL);
    foreach::List(this->Output("y"), foreach::ALL);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachCopy);
}  // namespace ops
