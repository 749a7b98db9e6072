#include "feeds_repeat_tiling.h"
#include "op_host/row_moves.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const int64_t* size = attrs->GetAttrPointer<int64_t>(0);
  if (size == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t feeds = SizeOf(context, 1);
  if (feeds == 0 || *size <= 0 || SizeOf(context, 0) % feeds != 0) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t rowBytes = SizeOf(context, 0) / feeds * MovedBytes(TypeOf(context, 0));
  FeedsRepeatTilingData tiling;
  tiling.set_feeds(feeds);
  if (!PlanMoves(context, static_cast<uint64_t>(*size), rowBytes, tiling.moves)) {
    return ge::GRAPH_FAILED;
  }
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  const auto* attrs = context->GetAttrs();
  const int64_t* size = attrs == nullptr ? nullptr : attrs->GetAttrPointer<int64_t>(0);
  if (size == nullptr || CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  context->GetOutputShape(0)->SetDim(0, *size);
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class FeedsRepeat : public OpDef {
 public:
  explicit FeedsRepeat(const char* name) : OpDef(name) {
    DeclareInput(this->Input("feeds"),
                 {ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16, ge::DT_BF16});
    DeclareInput(this->Input("feeds_repeat_times"),
                 {ge::DT_INT32, ge::DT_INT64, ge::DT_INT32, ge::DT_INT64, ge::DT_INT32, ge::DT_INT64});
    DeclareOutput(this->Output("y"),
                  {ge::DT_FLOAT16, ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_FLOAT, ge::DT_BF16, ge::DT_BF16});
    this->Attr("output_feeds_size").AttrType(REQUIRED).Int();
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(FeedsRepeat);
}  // namespace ops
