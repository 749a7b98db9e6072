#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const bool isInteger = foreach::TypeOf(context) == ge::DT_INT32;
  elementwise::Library library{true};
  AscendC::GetPowerTmpBufferFactorSize(true, false, isInteger, sizeof(float), library.factor, library.extraBytes);
  return foreach::TileUniform(context, 1, 0, library);
}

REGISTER_TILING_DATA_CLASS(ForeachPowScalar, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachPowScalar : public OpDef {
 public:
  explicit ForeachPowScalar(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::NUMBERS);
    foreach::Scalar(this->Input("scalar"), foreach::SCALARS);
    foreach::List(this->Output("y"), foreach::NUMBERS);
    foreach::Define(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachPowScalar);
}  // namespace ops
