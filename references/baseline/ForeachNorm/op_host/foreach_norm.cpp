#include "op_host/foreach.h"

namespace foreach {
const Types TYPES = {ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16, ge::DT_BF16};
const Types ORDERS = {ge::DT_FLOAT, ge::DT_INT64, ge::DT_FLOAT, ge::DT_INT64, ge::DT_FLOAT, ge::DT_INT64};
}  // namespace foreach

namespace optiling {
// Slots: powers, their sums lane by lane, and the memory of their reduction. In the workspace each core leaves the sum of
// its part of each tensor.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const ge::DataType type = foreach::TypeOf(context);
  if (foreach::Tile(context, {1, type, type, 3, {}}) != ge::GRAPH_SUCCESS) {
    return ge::GRAPH_FAILED;
  }
  auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = platform.GetLibApiWorkSpaceSize() + foreach::MAX_CORES * foreach::MAX_TENSORS * sizeof(float);
  context->SetScheduleMode(1);  // all cores at once: they wait for each other
  return ge::GRAPH_SUCCESS;
}

REGISTER_TILING_DATA_CLASS(ForeachNorm, ForeachTilingData)
}  // namespace optiling

namespace {
// One number for each tensor.
ge::graphStatus InferShape(gert::InferShapeContext* context) {
  for (size_t i = 0; i < context->GetComputeNodeOutputNum(); ++i) {
    gert::Shape* y = context->GetOutputShape(i);
    if (y == nullptr) {
      return ge::GRAPH_FAILED;
    }
    y->SetDimNum(0);
  }
  return ge::GRAPH_SUCCESS;
}
}  // namespace

namespace ops {
class ForeachNorm : public OpDef {
 public:
  explicit ForeachNorm(const char* name) : OpDef(name) {
    foreach::List(this->Input("x"), foreach::TYPES);
    foreach::Scalar(this->Input("scalar"), foreach::ORDERS);
    foreach::List(this->Output("y"), foreach::TYPES);
    this->SetInferShape(InferShape).SetInferDataType(foreach::InferDataType<0>);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(ForeachNorm);
}  // namespace ops
