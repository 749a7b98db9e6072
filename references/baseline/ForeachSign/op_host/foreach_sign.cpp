#include "op_host/foreach.h"

namespace foreach {
const Types SIGNED = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT8, ge::DT_INT32, ge::DT_INT64, ge::DT_BF16};
}  // namespace foreach

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const ge::DataType type = foreach::TypeOf(context);
  if (type == ge::DT_INT32) {
    return foreach::TileUniform(context, 1);
  }
  if (type == ge::DT_INT8 || type == ge::DT_INT64) {
    return foreach::TileUniform(context, 1, 1);
  }
  return foreach::TileUniform(context, 1, 0, elementwise::LibraryOf(AscendC::GetSignTmpBufferFactorSize));
}

REGISTER_TILING_DATA_CLASS(ForeachSign, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachSign : public OpDef {
 public:
  explicit ForeachSign(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::SIGNED);
    foreach::List(this->Output("y"), foreach::SIGNED);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachSign);
}  // namespace ops
