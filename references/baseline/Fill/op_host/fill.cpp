#include "op_host/elementwise.h"

namespace elementwise {
const Types TYPES = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_INT32, ge::DT_INT8, ge::DT_INT64, ge::DT_BF16, ge::DT_BOOL};
const Types DIMS(7, ge::DT_INT64);
}  // namespace elementwise

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* y = context->GetOutputShape(0);
  if (y == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const ge::DataType type = elementwise::TypeOf(context, 1);
  return elementwise::TileLength(context, {1, type, type, 0, {}}, y->GetStorageShape().GetShapeSize());
}

REGISTER_TILING_DATA_CLASS(Fill, ElementwiseTilingData)
}  // namespace optiling

namespace {
ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Tensor* dims = context->GetInputTensor(0);
  gert::Shape* y = context->GetOutputShape(0);
  if (dims == nullptr || y == nullptr || dims->GetData<int64_t>() == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t rank = dims->GetShapeSize();
  y->SetDimNum(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i) {
    y->SetDim(static_cast<size_t>(i), dims->GetData<int64_t>()[i]);
  }
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  return context->SetOutputDataType(0, context->GetInputDataType(1));
}
}  // namespace

namespace ops {
class Fill : public OpDef {
 public:
  explicit Fill(const char* name) : OpDef(name) {
    elementwise::Tensor(this->Input("dims"), elementwise::DIMS).ValueDepend(REQUIRED);
    elementwise::Tensor(this->Input("value"), elementwise::TYPES);
    elementwise::Tensor(this->Output("y"), elementwise::TYPES);
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    elementwise::OnAtlasA2AndA3(*this, optiling::TilingFunc);
  }
};
OP_ADD(Fill);
}  // namespace ops
