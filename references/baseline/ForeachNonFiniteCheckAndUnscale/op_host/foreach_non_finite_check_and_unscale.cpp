#include "op_host/foreach.h"

namespace foreach {
const Types GRADS = {ge::DT_FLOAT16, ge::DT_BF16, ge::DT_FLOAT};
}  // namespace foreach

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) { return foreach::TileUniform(context, 1, 2); }

REGISTER_TILING_DATA_CLASS(ForeachNonFiniteCheckAndUnscale, ForeachTilingData)
}  // namespace optiling

namespace {
// The outputs are the inputs of the same names: the gradients, then the flag.
ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const size_t tensors = context->GetComputeNodeOutputNum() - 1;
  for (size_t i = 0; i < tensors; ++i) {
    const gert::Shape* x = context->GetDynamicInputShape(0, i);
    gert::Shape* y = context->GetOutputShape(i);
    if (x == nullptr || y == nullptr) {
      return ge::GRAPH_FAILED;
    }
    *y = *x;
  }
  gert::Shape* found = context->GetOutputShape(tensors);
  if (found == nullptr) {
    return ge::GRAPH_FAILED;
  }
  found->SetDimNum(0);
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  const size_t tensors = context->GetComputeNodeOutputNum() - 1;
  for (size_t i = 0; i < tensors; ++i) {
    context->SetOutputDataType(i, context->GetDynamicInputDataType(0, i));
  }
  return context->SetOutputDataType(tensors, ge::DT_FLOAT);
}
}  // namespace

namespace ops {
class ForeachNonFiniteCheckAndUnscale : public OpDef {
 public:
  explicit ForeachNonFiniteCheckAndUnscale(const char* name) : OpDef(name) {
    foreach::List(this->Input("scaled_grads"), foreach::GRADS);
    foreach::Scalar(this->Input("found_inf"), foreach::FLOAT_LIST);
    foreach::Scalar(this->Input("inv_scale"), foreach::FLOAT_LIST);
    foreach::List(this->Output("scaled_grads"), foreach::GRADS);
    foreach::Scalar(this->Output("found_inf"), foreach::FLOAT_LIST);
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachNonFiniteCheckAndUnscale);
}  // namespace ops
