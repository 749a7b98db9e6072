#include "op_host/foreach.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const bool isInteger = foreach::TypeOf(context, 1) == ge::DT_INT32;
  elementwise::Library library{true};
  AscendC::GetPowerTmpBufferFactorSize(false, true, isInteger, sizeof(float), library.factor, library.extraBytes);
  return foreach::TileUniform(context, 1, 0, library, 1);
}

REGISTER_TILING_DATA_CLASS(ForeachPowScalarAndTensor, ForeachTilingData)
}  // namespace optiling

namespace ops {
class ForeachPowScalarAndTensor : public OpDef {
 public:
  explicit ForeachPowScalarAndTensor(const char* name) : OpDef(name) {
    foreach::Scalar(this->Input("scalar"), foreach::HOST_SCALARS);
    foreach::List(this->Input("x"), foreach::NUMBERS);
    foreach::List(this->Output("y"), foreach::NUMBERS);
    foreach::Define<1>(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachPowScalarAndTensor);
}  // namespace ops
