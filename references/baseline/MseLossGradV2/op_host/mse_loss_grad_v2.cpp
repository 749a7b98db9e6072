#include <cstring>

#include "mse_loss_grad_v2_tiling.h"
#include "op_host/op_declaration.h"

namespace optiling {
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const auto* attrs = context->GetAttrs();
  if (attrs == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const char* reduction = attrs->GetStr(0);
  if (reduction == nullptr) {
    return ge::GRAPH_FAILED;
  }
  const uint64_t bytes = BytesOf(TypeOf(context, 0));
  MseLossGradV2TilingData tiling;
  if (!PlanElements(context, SizeOf(context, 0), 3 * bytes, bytes, 3, tiling.rows)) {
    return ge::GRAPH_FAILED;
  }
  const bool mean = std::strcmp(reduction, "mean") == 0;
  tiling.set_factor(mean ? 2.0f / static_cast<float>(SizeOf(context, 0)) : 2.0f);
  return Save(context, tiling);
}
}  // namespace optiling

namespace ge {
static graphStatus InferShape(gert::InferShapeContext* context) {
  if (CopyShape(context, 0, 0) != GRAPH_SUCCESS) {
    return GRAPH_FAILED;
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}
}  // namespace ge

namespace ops {
class MseLossGradV2 : public OpDef {
 public:
  explicit MseLossGradV2(const char* name) : OpDef(name) {
    DeclareInput(this->Input("predict"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("label"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareInput(this->Input("dout"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    DeclareOutput(this->Output("y"), {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16});
    this->Attr("reduction").AttrType(OPTIONAL).String("mean");
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc);
    this->AICore().AddConfig("ascend910b");
    this->AICore().AddConfig("ascend910_93");
  }
};
OP_ADD(MseLossGradV2);
}  // namespace ops
